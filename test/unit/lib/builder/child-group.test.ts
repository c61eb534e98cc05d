import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startGroup } from '../../../../lib/builder/process/child-group.ts';
import { checkProgram, notRun } from '../../../../lib/builder/process/not-run.ts';
import { newFolder } from '../../../support/new-folder.ts';

const groups = { add: () => {}, remove: () => {}, close: async () => {} };

describe('a program that cannot be run', () => {
  it.each([
    [
      'has no execute bit',
      '#!/bin/sh\n',
      0o644,
      'it has no execute bit; "git update-index --chmod=+x start" in its folder sets it',
    ],
    ['was saved on Windows', '#!/bin/sh\r\necho\r\n', 0o755, 'its lines end as on Windows (CRLF); commit it with LF'],
    [
      'names an interpreter that is not there',
      '#!/opt/no such\n',
      0o755,
      'its first line, "#!/opt/no such", names a program that is not there',
    ],
  ])('says that it %s', async (_what, content, mode, why) => {
    const cwd = newFolder('program');
    await writeFile(join(cwd, 'start'), content, { mode });
    const spec = { program: './start', args: [], cwd, env: {}, what: 'test', output: () => {} };
    await expect(startGroup(groups, spec)).rejects.toThrow(`"./start" could not be run: ${why}.`);
    await expect(startGroup(groups, { ...spec, program: './absent' })).rejects.toThrow('"./absent" was not found.');
  });

  it('is not waited for when it is a pipe, and is not told when it is a link to a file elsewhere', async () => {
    const cwd = newFolder('program');
    const call = { cwd, args: [], env: {} };
    spawnSync('mkfifo', ['-m', '755', join(cwd, 'pipe')]);
    expect(() => checkProgram({ ...call, program: './pipe' })).toThrow('EACCES');
    const theirs = join(newFolder('anothers'), 'file');
    await writeFile(theirs, '#!/secret\n', { mode: 0o755 });
    symlinkSync(theirs, join(cwd, 'link'));
    const error = notRun({ cwd, program: './link' }, Object.assign(new Error('no such file'), { code: 'ENOENT' }));
    expect(error.message).toBe('The program "./link" was not found.');
  });
});
