#!/usr/bin/env python3
"""List and create issues."""
import json
import os
import sys
import urllib.request

API = "https://api.linear.app/graphql"


def call(query, variables=None):
    key = os.environ.get("LINEAR_API_KEY")
    if not key:
        sys.exit("LINEAR_API_KEY is not set")
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    request = urllib.request.Request(
        API,
        data=body,
        headers={"Authorization": os.environ["LINEAR_API_KEY"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    print(json.dumps(call("{ issues(first: 20) { nodes { identifier title } } }"), indent=2))
