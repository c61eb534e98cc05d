import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { removeLeftovers } from '../../../../lib/files/atomic-file.ts';
import { newFolder } from '../../../support/new-folder.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder('leftovers');
});

const LEFT = [
  'ports.json.0123456789ab.tmp',
  'aws/keys.json.0123456789ab.tmp',
  'platform/users/demo.json.aaaaaaaaaaaa.tmp',
];
const KEPT = [
  'ports.json',
  'notes.tmp',
  'deeper/cdk.out.1/x',
  'apps/demo/hello/releases/1/a.0123456789ab.tmp',
  'x.git/b.0123456789ab.tmp',
  'platform/apps/demo/hello/homes/1/home/a.0123456789ab.tmp',
  'platform/apps/demo/hello/data/upload.0123456789ab.tmp',
];

it('what interrupted writes and starts leave is removed, and nothing else', async () => {
  for (const path of [...LEFT, ...KEPT, 'cdk.out.4711/manifest.json', 'sample-aB3xYz/server.js']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  await removeLeftovers(folder, /^(?:cdk\.out\.\d+|sample-\w{6})$/);
  const left = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect(left.sort()).toEqual([...KEPT].sort());
});

it('a folder that does not exist has no leftovers', async () => {
  await removeLeftovers(join(folder, 'nowhere'));
});
