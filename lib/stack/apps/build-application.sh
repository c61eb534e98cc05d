# Builds one application: the only command of the buildspec. It works below a folder of its own, because several builds can
# run on one machine, and with POSIX sh, curl, tar, node, npm, and zip or python3.
#
# JOB_URL is the address of a JSON document {"source", "release", "cacheGet", "cachePut", "path"}: the addresses of the tarball, of
# the release to store and of the downloaded packages, and the folder of the application in the tarball.
set -eu
# One stream, so that the lines stay in the order in which they were printed.
exec 2>&1

work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"; echo "--- build ends"' EXIT
echo "--- build begins"

fail() {
  echo "--- error: $1"
  exit 1
}

# Runs a command of the package manager or of the application. What it prints is read for the reason of a failure.
run() {
  title=$1
  shift
  echo "--- runs: $title"
  "$@" || fail "$title exited with code $?."
}

download() { curl -fsS --retry 3 -o "$2" "$1"; }
upload() { curl -fsS --retry 3 -T "$1" "$2"; }

download "$JOB_URL" "$work/job.json" || fail "The service's description of the build could not be read."
assignments=$(node -e '
const { source, release, cacheGet, cachePut, path } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
const values = { source_url: source, release_url: release, cache_get: cacheGet, cache_put: cachePut, path };
const quoted = (text) => "\x27" + text.replaceAll("\x27", "\x27\\\x27\x27") + "\x27";
for (const [name, value] of Object.entries(values)) console.log(`${name}=${quoted(value)}`);
' "$work/job.json")
eval "$assignments"
# Programs of the application and of its packages run from here on.
rm "$work/job.json"
unset JOB_URL SNAPSHOT

packages=$work/packages
release=$work/release
export HOME="$work/home" CI=true
export npm_config_cache="$packages/npm" npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
export COREPACK_HOME="$packages/corepack" COREPACK_ENABLE_DOWNLOAD_PROMPT=0
export YARN_CACHE_FOLDER="$packages/yarn" YARN_ENABLE_GLOBAL_CACHE=false YARN_NODE_LINKER=node-modules
mkdir -p "$HOME" "$packages" "$release/app"

download "$source_url" "$work/source.tgz" || fail "The tarball could not be fetched."
tar -xzf "$work/source.tgz" -C "$release/app" --strip-components=1 || fail "The tarball could not be unpacked."
rm "$work/source.tgz"
app=$release/app${path:+/$path}
# Places in the application are shown as its author knows them.
echo "--- folder: $release/app"

# Lambda's limit is 250 MB unpacked, and the adapter's layer takes some of it. Files are counted, not blocks of a disk.
check_size() {
  node -e '
const fs = require("node:fs"), path = require("node:path");
const sizeOf = (at) => fs.readdirSync(at, { withFileTypes: true }).reduce((sum, one) => {
  const file = path.join(at, one.name);
  return sum + (one.isDirectory() ? sizeOf(file) : fs.lstatSync(file).size);
}, 0);
const [root, what] = process.argv.slice(1);
const megabytes = (bytes) => Math.ceil(bytes / 1048576);
const size = sizeOf(root);
if (size <= 240 * 1048576) process.exit(0);
const parts = ["", "node_modules"].flatMap((folder) => fs.existsSync(path.join(root, folder))
  ? fs.readdirSync(path.join(root, folder), { withFileTypes: true }).map((one) => {
      const name = path.join(folder, one.name), file = path.join(root, name);
      return { name, bytes: one.isDirectory() ? sizeOf(file) : fs.lstatSync(file).size };
    }) : []);
console.log("The largest parts:");
for (const { name, bytes } of parts.filter(({ bytes }) => bytes >= 1048576).sort((a, b) => b.bytes - a.bytes).slice(0, 10)) console.log(`${megabytes(bytes)} MB ${name}`);
console.log(`--- error: ${what} takes ${megabytes(size)} MB, and AWS Lambda allows 240 MB beside its adapter: remove what it does not need when it runs.`);
process.exit(1);
' "$release/app" "$1" || exit 1
}
check_size "The repository"

[ -f "$app/package.json" ] || fail "There is no package.json in ${path:-the root of the repository}."

# Where the packages are installed: the nearest folder with a lockfile, from the application's own up to the root.
root=$app
lockfile=
while :; do
  for name in package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock; do
    if [ -z "$lockfile" ] && [ -f "$root/$name" ]; then lockfile=$name; fi
  done
  if [ -n "$lockfile" ] || [ "$root" = "$release/app" ]; then break; fi
  root=$(dirname "$root")
done
[ -n "$lockfile" ] || root=$app

# The downloaded packages are kept for the next build with the same lockfile.
digest() { node -e 'const h = require("node:crypto").createHash("sha256"); for (const f of process.argv.slice(1)) h.update(require("node:fs").readFileSync(f)); console.log(h.digest("hex"));' "$@"; }
id="$(digest "$root/${lockfile:-package.json}") $(node --version)"
if download "$cache_get" "$work/packages.tgz" 2>/dev/null; then
  tar -xzf "$work/packages.tgz" -C "$packages" || rm -rf "${packages:?}"/*
  rm "$work/packages.tgz"
fi
known=$(cat "$packages/id" 2>/dev/null || true)

# As on the embedded platform, an application without dependencies and without scripts of its own is only unpacked.
has_packages=$(cd "$root" && node -p '
const fs = require("node:fs");
const { scripts = {}, workspaces, ...fields } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const kinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const hooks = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
workspaces !== undefined || fs.existsSync("binding.gyp") || kinds.some((kind) => Object.keys(fields[kind] ?? {}).length > 0) || hooks.some((name) => name in scripts)') || fail "package.json is not valid JSON."
[ -n "$lockfile" ] || [ "$has_packages" = true ] || lockfile=none

cd "$root"
case $lockfile in
  none) ;;
  package-lock.json | npm-shrinkwrap.json) run "npm ci" npm ci --prefer-offline ;;
  pnpm-lock.yaml) run "pnpm install" corepack pnpm install --frozen-lockfile --store-dir "$packages/pnpm" ;;
  yarn.lock)
    if grep -q '^__metadata:' yarn.lock; then frozen=--immutable; else frozen=--frozen-lockfile; fi
    run "yarn install" corepack yarn install $frozen
    ;;
  *) run "npm install" npm install --prefer-offline --no-package-lock ;;
esac

has_build=$(cd "$app" && node -p 'Boolean(JSON.parse(require("node:fs").readFileSync("package.json", "utf8")).scripts?.build)')
if [ "$has_build" = true ]; then
  cd "$app"
  run "npm run build" npm run build
  cd "$root"
fi

case $lockfile in
  pnpm-lock.yaml) corepack pnpm prune --prod ;;
  # Yarn removes nothing without installing again.
  yarn.lock | none) ;;
  *) npm prune --omit=dev --no-package-lock >/dev/null || fail "npm prune, which removes the development dependencies, failed." ;;
esac
rm -rf "$app/.next/cache" "$app/node_modules/.cache" "$root/node_modules/.cache"
check_size "The application"

# The command that starts the application, quoted for a shell: the same as on the embedded platform.
start=$(cd "$app" && node -e '
const fs = require("node:fs");
const { scripts = {}, main } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const siteIn = (folders) => folders.find((folder) => fs.existsSync(`${folder}/index.html`));
const web = fs.existsSync("Procfile") && /^web:\s*(.+)$/m.exec(fs.readFileSync("Procfile", "utf8"));
const files = [main, "server.js", "app.js", "index.js"].filter((file) => typeof file === "string");
const file = files.find((one) => { try { require.resolve(require("node:path").resolve(one)); return true; } catch { return false; } });
const quoted = (text) => "\x27" + text.replaceAll("\x27", "\x27\\\x27\x27") + "\x27";
const { prestart, start, build } = scripts;
const own = web ? web[1] : start ? (prestart ? `(${prestart}) && ${start}` : start) : undefined;
const site = (build ? siteIn(["dist", "build", "out"]) : undefined) ?? (file ? undefined : siteIn(["public", "."]));
const command = own ?? (site ? `exec node "$LAMBDA_TASK_ROOT/static-server.mjs" ${site}` : file && `node ${quoted(file)}`);
if (!command) process.exit(1);
console.log(quoted(command));
') || fail "There is nothing to start: package.json has no scripts.start and no main, there is no server.js, app.js or index.js, no web process in a Procfile, and no index.html."

cat > "$release/static-server.mjs" <<'STATIC_SERVER'
# static-server.mjs
STATIC_SERVER

# Lambda runs it, with the Lambda Web Adapter before it. Only /tmp can be written to there.
cat > "$release/run.sh" <<RUN
#!/bin/sh
here=\${LAMBDA_TASK_ROOT:-\$(cd "\$(dirname "\$0")" && pwd)}
cd "\$here/app${path:+/$path}" || exit 1
export PATH="\$PWD/node_modules/.bin:\$here/app/node_modules/.bin:\$PATH"
export HOME=\${TMPDIR:-/tmp} LAMBDA_TASK_ROOT="\$here"
exec sh -c $start
RUN
chmod 755 "$release/run.sh"

# Links are stored as links: the programs in node_modules/.bin are such.
cd "$release"
if command -v zip >/dev/null; then
  zip -qry "$work/release.zip" run.sh static-server.mjs app
else
  python3 - "$work/release.zip" <<'ZIP'
import os, stat, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for folder, folders, files in os.walk("."):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in files + links:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            entry = zipfile.ZipInfo(os.path.relpath(path))
            entry.create_system, entry.external_attr, entry.compress_type = 3, mode << 16, zipfile.ZIP_DEFLATED
            if stat.S_ISLNK(mode):
                archive.writestr(entry, os.readlink(path))
            else:
                with open(path, "rb") as file:
                    archive.writestr(entry, file.read())
ZIP
fi
upload "$work/release.zip" "$release_url" || fail "The release could not be stored."

if [ "$known" != "$id" ]; then
  echo "$id" > "$packages/id"
  # Not worth a failed build, nor a download that takes longer than the installation.
  if [ "$(du -sk "$packages" | cut -f1)" -lt 512000 ]; then
    (tar -czf "$work/packages.tgz" -C "$packages" . && upload "$work/packages.tgz" "$cache_put") || true
  fi
fi
echo "Built."
