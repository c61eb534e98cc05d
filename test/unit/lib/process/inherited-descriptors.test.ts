import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';
import { at } from '../../../support/process/inherited.ts';

const starter = new URL('../../../support/process/inheriting-process.ts', import.meta.url).pathname;

function opened(path: string, flags: string): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

it.runIf(process.platform === 'linux')(
  'no program that is started has what the starter of this one has left open; the channel to that stays',
  async () => {
    const folder = newFolder('inherited');
    const written = opened(join(folder, 'written'), 'w');
    const inherited = at({ 30: written, 100: opened(folder, 'r'), 251: 'pipe', 252: 'pipe', 300: written, 400: 'ipc' });
    const child = spawn(process.execPath, ['--import', './bin/typescript.mjs', starter], {
      stdio: ['ignore', 'inherit', 'inherit', ...inherited],
    });
    const [seen] = await Promise.race([once(child, 'message'), once(child, 'exit')]);

    // Those below are the shell's own. Node has no way to keep the channel from programs, and needs it.
    expect((seen as readonly number[]).filter((fd) => fd >= 30)).toEqual([400]);
  },
);
