import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { logFile } from '../../../../lib/files/log-file.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { bundledProgram } from '../../../support/process/program.ts';

describe('A log file', () => {
  let folder: string;
  let path: string;
  const sentences: string[] = [];
  const warn = (sentence: string) => void sentences.push(sentence);
  beforeEach(() => {
    folder = newFolder('log');
    path = join(folder, 'service.log');
    sentences.length = 0;
  });

  const records = (file = path) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it('holds each record as a line of JSON with its time, for its owner only', () => {
    const note = logFile({ path, warn });
    note({ one: 1 });
    note({ two: 2 });
    note.flush();
    expect(records()).toEqual([
      { at: expect.stringMatching(/^\d{4}-.*Z$/), one: 1 },
      { at: expect.any(String), two: 2 },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('throws nothing where its folder is a file', () => {
    writeFileSync(path, '');
    const note = logFile({ path: join(path, 'service.log'), warn });
    note({ one: 1 });
    note.flush();
    expect(sentences).toEqual([expect.stringMatching(/cannot be written \(ENOTDIR: not a directory\)/)]);
  });

  it('is written soon, the records of that time at once, and at the end of the process', async () => {
    const note = logFile({ path, warn });
    note({ one: 1 });
    note({ two: 2 });
    await expect.poll(records).toHaveLength(2);
    const module = await bundledProgram('lib/files/log-file.ts');
    const script = `
      const { logFile } = await import(${JSON.stringify(module)});
      logFile({ path: ${JSON.stringify(path)}, warn: () => {} })({ three: 3 });
      process.exit(0);`;
    spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(records()).toHaveLength(3);
  });

  it('is continued by the next start', () => {
    for (const start of [1, 2]) {
      const note = logFile({ path, warn });
      note({ start });
      note.flush();
    }
    expect(records().map(({ start }) => start)).toEqual([1, 2]);
  });

  it('never takes more than twice its limit, and keeps the newest records', () => {
    const note = logFile({ path, maxBytes: 1000, warn });
    for (let count = 0; count < 100; count += 1) note({ count });
    note.flush();
    expect(statSync(path).size).toBeLessThanOrEqual(1000);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(1000);
    const kept = [...records(`${path}.1`), ...records()].map(({ count }) => count);
    expect(kept).toEqual(Array.from(kept, (_, place) => 100 - kept.length + place));
    expect(kept.length).toBeGreaterThan(20);
  });

  // Writes to /dev/full fail as on a full disk: https://man7.org/linux/man-pages/man4/full.4.html
  it.skipIf(process.platform !== 'linux')(
    'does not throw on a full disk, says so once, and goes on when there is space again',
    () => {
      symlinkSync('/dev/full', path);
      const note = logFile({ path, warn });
      for (let count = 0; count < 3; count += 1) {
        note({ count });
        note.flush();
      }
      expect(sentences).toEqual([
        `The log ${path} cannot be written (ENOSPC: no space left on device); the service goes on without it.`,
      ]);
      unlinkSync(path);
      note({ count: 3 });
      note.flush();
      expect(records()).toMatchObject([{ warning: '3 records before this one could not be written.' }, { count: 3 }]);
    },
  );

  it.skipIf(process.platform !== 'linux')('does not throw when the file may not grow any further', async () => {
    const module = await bundledProgram('lib/files/log-file.ts');
    const script = `
      const { logFile } = await import(${JSON.stringify(module)});
      const note = logFile({ path: ${JSON.stringify(path)}, warn: (sentence) => console.error(sentence) });
      for (let count = 0; count < 40; count += 1) note({ count, filler: 'x'.repeat(100) });`;
    const limited = 'ulimit -f 3 && exec "$0" --input-type=module -e "$1"';
    const { stderr, status } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' });
    expect(stderr).toMatch(/^The log \S+ cannot be written \(EFBIG: file too large\)[^\n]*\n$/);
    expect(status).toBe(0);
  });
});
