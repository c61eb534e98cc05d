// Installs the dependencies when they are missing or do not fit the lockfile, so that `npm start`, `npm test` and
// `hooks` work on a fresh clone and after a pull. Plain JavaScript on purpose: it runs before anything is installed.
// With `--dev`, and for the commands `hooks aws`, the development dependencies as well: they are nine tenths of the
// download, and only tests, checks and AWS need them. The help of `hooks aws` does not, and without a region it ends first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-lockfile');
const lockfile = join(root, 'package-lock.json');
const [, , first, ...others] = process.argv;
const isAws = first === 'aws' && !others.some((one) => one === '--help' || one === '-h');
const asksForDev = first === '--dev' || isAws;

// The oldest Node that has what the programs use (AbortSignal.any), and the oldest that Vite supports, which runs the tests.
const oldest = first === '--dev' ? [20, 19] : [20, 3];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(`Node ${oldest.join('.')} or newer is needed; this is Node ${process.versions.node}.`);
  process.exit(1);
}
if (existsSync(lockfile)) installMissing();
// A package of npm has no lockfile, and what it needs is installed.
else if (!/[\\/]node_modules[\\/]/.test(root)) end('There is no package-lock.json');
else if (asksForDev) end('What deploys to AWS is not in the package');

function end(why, remedy = 'clone the repository with git') {
  console.error(`${why}: ${remedy}.`);
  process.exit(1);
}

function installMissing() {
  const wanted = createHash('sha256').update(readFileSync(lockfile)).digest('hex');
  const hasDev = installed().includes('node_modules/vitest');
  // Keep installed development dependencies: `npm start` does not remove the packages of the tests.
  const wantsDev = hasDev || asksForDev;
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && wantsDev === hasDev;
  if (isCurrent) return;
  if (isAws && !hasDev && !namesRegion()) {
    end('No region of AWS is chosen', 'set AWS_REGION, such as AWS_REGION=eu-central-1, or "region" in ~/.aws/config');
  }
  // `npm ci` begins by deleting node_modules, which a running service still loads files from. Where there is one
  // already, `npm install` changes only the packages that differ; `--no-save` leaves the lockfile as it is.
  const command = existsSync(modules) ? ['install', '--no-save'] : ['ci'];
  // Standard output is for the result of the program that is started: `hooks apps --json`.
  console.error(command[0] === 'ci' ? 'Installing the dependencies (once) …' : 'Updating the dependencies …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = [...command, ...(wantsDev ? [] : ['--omit=dev']), '--no-audit', '--no-fund', '--loglevel=error'];
  const run = spawnSync(npm, args, { cwd: root, stdio: ['inherit', 2, 2] });
  if (run.status !== 0) {
    console.error(`npm ${command[0]} did not succeed; the lines above say why.`);
    process.exit(run.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}

/** Whether a region is set at all; the clients of AWS, which are not installed yet, say whether it is a valid one. */
function namesRegion() {
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE } = process.env;
  if (AWS_REGION || AWS_DEFAULT_REGION) return true;
  const folder = join(homedir(), '.aws');
  const files = [AWS_CONFIG_FILE || join(folder, 'config'), AWS_SHARED_CREDENTIALS_FILE || join(folder, 'credentials')];
  return files.some((file) => existsSync(file) && /^[ \t]*region[ \t]*=/m.test(readFileSync(file, 'utf8')));
}

/** Returns the folders of the packages that npm noted in node_modules. */
function installed() {
  const list = join(modules, '.package-lock.json');
  return existsSync(list) ? Object.keys(JSON.parse(readFileSync(list, 'utf8')).packages) : [];
}
