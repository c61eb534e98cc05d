import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { lambdaBuildOutput } from '../../../../../../functions/adapters/platform/aws-lambda/build/build-output.ts';
import type { SnapshotRef } from '../../../../../../functions/core/ports/platform.ts';
import { uploadOf } from '../../../../../contracts/hosting-platform.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';
import { newFolder } from '../../../../../support/new-folder.ts';
import { tarball } from '../../../../../support/platform/embedded.ts';

// Each build is a real one.
vi.setConfig({ testTimeout: 120_000 });

let apps: EmulatedApps;
/** What the hostile script has read of other builds. */
let loot: string;
beforeAll(async () => {
  loot = newFolder('loot');
  apps = await emulatedApps();
});
afterAll(() => apps?.close());

/** Builds an application, and returns what its build printed. */
async function build(snapshot: SnapshotRef, files: Record<string, string>): Promise<readonly string[]> {
  const { platform, parts } = apps;
  await platform.ensureApp(snapshot, { name: snapshot.app });
  await platform.upload(snapshot, uploadOf(await tarball(files)));
  await platform.activate(snapshot);
  const ended = async () => [await platform.poll(snapshot)].find(({ state }) => state !== 'building');
  expect(await vi.waitUntil(ended, { timeout: 60_000, interval: 100 })).toMatchObject({ state: 'ready' });
  const lines: string[] = [];
  const output = await lambdaBuildOutput(parts).read(snapshot, true, new AbortController().signal);
  for await (const batch of output ?? []) lines.push(...batch.map(({ line }) => line));
  return lines;
}

function withInstallScript(name: string, script: string): Record<string, string> {
  const scripts = { install: 'node install.js', start: 'node server.js' };
  return {
    'package.json': JSON.stringify({ name, version: '1.0.0', scripts }),
    // The machine's /tmp, as each program of a build can find it.
    'install.js': `const machine = require('node:path').dirname(require('node:path').dirname(process.env.TMPDIR));\n${script}`,
    'server.js': `require('node:http').createServer((_, response) => response.end('${name}')).listen(process.env.PORT);`,
  };
}

/** Leaves programs, settings, modules and a process on the machine, which all tell what they see of later builds. */
const hostile = () => `
  const fs = require('node:fs');
  const { spawn } = require('node:child_process');
  const tell = (what) => 'require("node:fs").writeFileSync(' + JSON.stringify(${JSON.stringify(loot)}) + ' + "/' + what + '-" + process.pid, JSON.stringify(process.env));';
  for (const program of ['node', 'npm', 'git', 'tar', 'sh']) {
    fs.mkdirSync(machine + '/opt/npm/bin', { recursive: true });
    fs.writeFileSync(machine + '/opt/npm/bin/' + program, '#!' + process.execPath + '\\n' + tell(program), { mode: 0o755 });
  }
  fs.mkdirSync(machine + '/node_modules/missing', { recursive: true });
  fs.writeFileSync(machine + '/node_modules/missing/index.js', tell('module'));
  fs.writeFileSync(machine + '/.npmrc', 'script-shell=' + machine + '/opt/npm/bin/sh\\n');
  fs.writeFileSync(machine + '/package.json', '{"type":"module"}');
  const watch = \`const fs = require('node:fs'); setTimeout(() => process.exit(), 60000);
    setInterval(() => { for (const pid of fs.readdirSync('/proc').filter(Number)) try {
      const [, url] = /JOB_URL=([^\\\\0]+)/.exec(fs.readFileSync('/proc/' + pid + '/environ', 'utf8')) ?? [];
      if (url?.includes('second')) fs.writeFileSync(\${JSON.stringify(${JSON.stringify(loot)})} + '/address', url);
    } catch {} }, 20);\`;
  spawn(process.execPath, ['-e', watch], { detached: true, stdio: 'ignore' }).unref();
  console.log('left');`;

it('Two builds of two users on one machine: nothing of the first is read, and nothing of the second', async () => {
  const first = { user: 'ann', app: 'first', snapshot: '1.0.0-1' };
  expect(await build(first, withInstallScript('first', hostile()))).toContain('left');

  const look = `
    for (const name of require('node:fs').readdirSync(machine)) console.log('there is ' + name);
    try { require('missing'); } catch { console.log('no module of others'); }`;
  const second = { user: 'ben', app: 'second', snapshot: '1.0.0-1' };
  const lines = await build(second, withInstallScript('second', look));
  const there = lines.filter((line) => line.startsWith('there is '));
  // What CodeBuild works in, and what this build does.
  expect(there).toEqual([expect.stringMatching(/^there is build-\w+$/), 'there is codebuild']);
  expect(lines).toContain('no module of others');

  const { url } = await apps.platform.start(second);
  expect(await (await fetch(url)).text()).toBe('second');
  expect(await readdir(loot)).toEqual([]);
});
