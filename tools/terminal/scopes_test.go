package terminal

import "testing"

// TestJudge_scopes: a value counts only where it is sure to be set.
func TestJudge_scopes(t *testing.T) {
	t.Parallel()
	j, root := scene(t)
	check(t, j, root, map[string]expected{
		"variables": {
			deny: []string{
				`T=build; export "T=/etc"; rm -rf $T`, `T=/etc; (T=build); rm -rf $T`, `T=/etc; T=build true; rm -rf $T`, `T=/etc; T=build | cat; rm -rf $T`, `T=/etc; T=build & rm -rf $T`, `T=/etc; x=$(T=build); rm -rf $T`, `T=/etc; f() { T=build; }; rm -rf $T`, `T=build; { T=/etc; }; rm -rf $T`, `T=build; local T=/etc; rm -rf $T`,
				`HOME=/; rm -rf ~/etc`, `IFS=x; T=buildx/etc; rm -rf $T`, `T='build /etc'; rm -rf $T`,
			},
			ask: []string{
				`T=build; unset T; rm -rf $T/*`, `f() { T=/etc; }; T=build; f; rm -rf $T`, `if x; then T=/etc; else T=build; fi; rm -rf $T`, `T=/etc; [ -f x ] && T=build; rm -rf $T`, `[ -f x ] && T=build; rm -rf $T/*`, `T=/etc; true || T=build; rm -rf $T`, `T=/etc; while x; do T=build; done; rm -rf $T`, `T=/etc; for i in; do T=build; done; rm -rf $T`, `T=/etc; case a in b) T=build;; esac; rm -rf $T`,
				`declare -n f=g; g=/etc/x; echo > $f`, `T=build; printf -vT /etc; rm -rf $T`, `T=build; read T <<< /etc; rm -rf $T`,
			},
			allow: []string{`T=build; rm -rf $T`, `T=build && mkdir -p $T && rm -rf $T`, `[ -f x ] && T=build && rm -rf $T`, `if x; then T=build; rm -rf $T; fi`, `X=1 go test; ls > out`, `for d in build dist; do rm -rf $d; done`, `V=1; [ -n "$V" ] && V=2; echo $V`},
		},
		"folders": {
			ask:   []string{`if x; then cd build; fi; rm -rf *`, `false && cd build; rm -rf ../*`, `cd build; rm -rf *`, `cd /etc; cd -; rm -rf build`},
			allow: []string{`(cd / && ls); rm -rf build`, `cd src && ls; ls > out`, `mkdir -p x && cd x && ls > y`, `cd src | cat; ls > out`},
		},
		"short-lived files": {
			ask: []string{
				`T=$(mktemp -d); mv src $T/; rm -rf $T`, `T=$(mktemp -d); rm -rf $T/*`, `env TMPDIR=/x sh -c 'T=$(mktemp -d); rm -rf $T/*'`, `mv src /tmp/gone-with-hermes-test`, `mv src $(mktemp -d)`, `T=$(mktemp -d); rm -rf $T/etc`, `rm /tmp/gone-with-hermes-test`,
			},
			allow: []string{`T=$(mktemp); ls > $T; mv $T out`, `jq . x > /tmp/hermes-test-x && mv /tmp/hermes-test-x x`, `ls > /tmp/hermes-test-x; wc /tmp/hermes-test-x; rm -f /tmp/hermes-test-x`, `D=$(mktemp -d) && cd $D && ls > x`},
		},
	})
}

// TestJudge_work is more of an ordinary day, none of which may ask.
func TestJudge_work(t *testing.T) {
	t.Parallel()
	j, root := scene(t)
	check(t, j, root, map[string]expected{"": {allow: []string{
		`git add -A && git commit -m "fix: rm -rf on exit" -m "sudo is gone"`, `git diff --name-only | xargs gofmt -l`, `git ls-files -z | xargs -0 grep -n foo`, `cd "$(git rev-parse --show-toplevel)" && ls`, `git clone --depth 1 https://github.com/x/y vendor/y`, `git remote set-url origin https://x/y`, `git log --oneline --graph --all | head -50`,
		`npx jest --outputFile=out.json --json`, `npx tsc --noEmit -p tsconfig.json`, `pnpm dlx create-vite app`, `node scripts/build.js --out-dir dist`, `node --experimental-vm-modules node_modules/jest/bin/jest.js`, `python3 -m pytest tests -q -k "not slow and remove"`, `python3 manage.py runserver 0.0.0.0:8000 &`, `pip install -e '.[dev]'`, `pip freeze > requirements.txt`,
		`go test ./... -run 'TestX' -coverprofile=cover.out`, `go tool cover -html=cover.out -o cover.html`, `go build -ldflags "-s -w -X main.version=1.0" -o bin/x .`, `go run ./cmd/x --flag "a b c"`, `cargo run --bin x -- --help`, `make -j$(nproc) CFLAGS="-O2 -Wall"`, `cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j4`, `mkdir -p build && cd build && cmake ..`,
		`docker exec -it app bash`, `docker exec app sh -c "ls /app"`, `docker run -d --name db -e POSTGRES_PASSWORD=x -p 5432:5432 postgres`, `kubectl exec -it pod -- sh`, `helm upgrade --install x ./chart`, `terraform init && terraform plan -out plan.out`, `aws s3 cp dist s3://x --recursive`, `gh pr create --fill`, `gh issue create --title "rm -rf bug" --body "sudo rm -rf / in docs"`,
		`curl -s -X POST -H 'Content-Type: application/json' -d '{"a":1}' http://localhost:8080/x`, `curl -fsSL -o tool.tar.gz https://x/y.tar.gz && tar -xzf tool.tar.gz && ls tool`, `./server > server.log 2>&1 & echo $! > server.pid`, `find src -name '*.js' -exec sed -i 's/foo/bar/g' {} +`, `rg -l 'foo' | xargs sed -i 's/foo/bar/g'`, `grep -rn 'rm -rf' . --include=*.sh`, `grep -rn "sudo " scripts | head`,
		`sed -E 's/([0-9]+)/<\1>/g; /^$/d' x`, `sed -i.bak 's|http://|https://|g' src/a.ts`, `sed -i "s/version = .*/version = \"$V\"/" setup.cfg`, `sed 's/a/b/w out.txt' x`, `awk 'NR==FNR{a[$1];next} $1 in a' x y`, `awk '{ print $2 > "/dev/stderr" }' x`, `awk '{printf "%s > %s\n", $1, $2}' x`, `jq '.scripts.build = "rm -rf dist && tsc"' package.json > t.json && mv t.json package.json`,
		"cat > script.sh <<'EOS'\n#!/bin/bash\nset -e\nls\nEOS\nchmod +x script.sh", "cat <<'EOS' > src/x.py\nimport os\nprint(os.getcwd())\nEOS", `openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -subj "/CN=x"`, `ssh host 'cd app && git pull && systemctl status app'`, `psql "$DATABASE_URL" -c '\dt'`, `sqlite3 db.sqlite "select * from t limit 5" > out.csv`,
		`set -a; . ./.env; set +a; npm start`, `tmux new-session -d -s dev 'npm run dev'`, `for d in */; do (cd "$d" && go test ./...); done`, `for f in *.png; do convert "$f" "${f%.png}.jpg"; done`, `while ! curl -s localhost:3000; do sleep 1; done`, `LOG="logs/run-$(date +%Y%m%d-%H%M%S).log"; npm test > "$LOG" 2>&1`, `NAME=$(basename "$PWD"); echo $NAME`, `OUT=out/$(uname -s).txt; ls > $OUT`, `rm -f *.log`, `rm -rf build/* dist/*`,
		`gh pr checkout delete-old-api`, `gh search code delete`, `aws configure get region`, `terraform state list`, `docker exec app sh -c "rm -rf /tmp/cache"`, `kubectl exec x -- sh -c 'kill -9 12'`, `npm run publish-docs`, `trap 'rm -f tmp.txt' EXIT`, `test "$(cat x)" = "rm -rf /"`, `echo "to clean: rm -rf build && git reset --hard" >> README.md`, `seq 1 10 | xargs -P4 -I{} curl -s localhost/{}`, `hyperfine 'go test ./...'`, `protoc --go_out=. x.proto`, `pandoc x.md -o x.pdf`, `ffmpeg -i in.mp4 -vf scale=1:2 out.mp4`, `comm -12 <(sort a) <(sort b)`, `if [ -f go.mod ]; then go test ./...; else npm test; fi`,
	}}})
}
