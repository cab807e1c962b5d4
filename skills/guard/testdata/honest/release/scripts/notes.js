#!/usr/bin/env node
const { execFileSync } = require("node:child_process");

const token = process.env.GITHUB_TOKEN;
const since = execFileSync("git", ["describe", "--tags", "--abbrev=0"]).toString().trim();

async function main() {
  const answer = await fetch("https://api.github.com/repos/" + process.argv[2] + "/pulls?state=closed", {
    headers: { Authorization: `Bearer ${process.env.GITHUB_TOKEN}`, Accept: "application/vnd.github+json" },
  });
  const pulls = await answer.json();
  console.log(`# Changes since ${since}\n`);
  for (const p of pulls) console.log("- " + p.title + " (#" + p.number + ")");
}

if (!token) console.error("GITHUB_TOKEN is not set; only public repositories work");
main();
