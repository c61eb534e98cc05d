// Installs the dependencies of the lockfile when they are missing or older than it, so that `npm start` and `npm test`
// work on a fresh clone. Plain JavaScript on purpose: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.installed-lockfile');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  console.error(`Node 20 or newer is needed; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const installed = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
if (!installed) {
  console.log('Installing the dependencies (once) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const run = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) {
    console.error('npm ci did not succeed; the lines above say why.');
    process.exit(run.status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
