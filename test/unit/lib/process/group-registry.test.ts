import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { killOrphans, openGroupRegistry } from '../../../../lib/process/group-registry.ts';
import { endMarked, newMark, PROCESS_MARK } from '../../../../lib/process/marks.ts';
import { testFolder } from '../../../support/service/place.ts';

/** More than any process id on Linux. */
const NOBODY = 2 ** 22 + 1;

// The marks are read from /proc.
describe.skipIf(process.platform !== 'linux')('processes that an earlier process has left', () => {
  let folder: string;
  const started: ChildProcess[] = [];

  beforeEach(() => {
    mkdirSync(testFolder, { recursive: true });
    folder = mkdtempSync(join(testFolder, 'registry-'));
  });

  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function marked(mark: string): Promise<ChildProcess> {
    const child = spawn('sleep', ['60'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, [PROCESS_MARK]: mark },
    });
    started.push(child);
    await once(child, 'spawn');
    return child;
  }

  it('are ended also when they were not listed yet; those of others stay', async () => {
    const path = join(folder, 'groups.json');
    await openGroupRegistry(path);
    const written = JSON.parse(readFileSync(path, 'utf8')) as { owner: { pid: number; marks: string } };
    expect(newMark().startsWith(written.owner.marks)).toBe(true);
    const marks = `left${process.pid}-`;
    writeFileSync(path, JSON.stringify({ owner: { pid: NOBODY, started: '', marks }, groups: [] }));
    const [orphan, other] = [await marked(`${marks}1`), await marked(`other${process.pid}-1`)];

    await killOrphans(path);

    await expect.poll(() => orphan.signalCode).toBe('SIGTERM');
    expect(other.signalCode).toBe(null);
  });

  it('are not sought by the marks of this process, whose processes are in use', async () => {
    const path = join(folder, 'groups.json');
    const registry = await openGroupRegistry(path);
    const own = await marked(newMark());

    await killOrphans(path);
    // Otherwise it would be the beginning of all marks, and of none.
    await endMarked('', 0);

    expect(own.signalCode).toBe(null);
    await registry.close();
  });
});
