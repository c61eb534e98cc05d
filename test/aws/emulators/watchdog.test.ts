import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { bundledProgram } from '../../support/process/program.ts';
import { descendants, stillRunning } from '../../support/service/processes.ts';

// Families are read from /proc.
it.skipIf(process.platform !== 'linux')(
  'A group that ignores SIGTERM is killed with the process that watches it',
  async () => {
    const program = await bundledProgram('test/support/process/watching-process.ts');
    const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(parent.stdout, 'data');
    const family = descendants(parent.pid ?? 0);
    expect(family.map(({ command }) => command).join('\n')).toMatch(/trap/);
    parent.kill('SIGKILL');
    await expect.poll(() => stillRunning(family)).toEqual([]);
  },
);
