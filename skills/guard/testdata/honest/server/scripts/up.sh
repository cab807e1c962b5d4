#!/usr/bin/env bash
set -euo pipefail
port="${PORT:-8080}"
host="127.0.0.1"
python3 -m http.server "$port" --bind "$host" &
echo $! > .pid
for i in $(seq 1 50); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
  sleep 0.2
done
curl -fsS "http://127.0.0.1:$port/health?token=$DEV_TOKEN" || echo "no health page"
