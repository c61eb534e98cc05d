import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withOtherPid } from '../../../../lib/builder/process/other-pid.ts';
import { newFolder } from '../../../support/new-folder.ts';

function folders() {
  const place = newFolder('pids');
  const dataDir = join(place, 'data');
  mkdirSync(dataDir);
  /** Returns how many process ids a start of a release uses up before that of its command. */
  const usedUp = (release: string) => {
    const sight = { writable: [], readable: [], temporaries: join(place, release), dataDir };
    const words = withOtherPid(['node', 'server.js'], sight);
    return words.includes('/bin/sh') ? Number(words.at(-3)) : 0;
  };
  return { dataDir, usedUp };
}

describe('the process id of a command in a sandbox', () => {
  it('costs no fork at the first start of a release whose data folder is empty: there is no pid file', () => {
    const { usedUp } = folders();
    expect(['1', '2', '3', '4'].map(usedUp)).toEqual([0, 0, 0, 0]);
  });

  it('is another one when a release starts again', () => {
    const { usedUp } = folders();
    expect(['1', '1', '1', '1'].map(usedUp)).toEqual([0, 8, 16, 0]);
  });

  it('is another one at each start when the data folder has a file', () => {
    const { dataDir, usedUp } = folders();
    const first = usedUp('1');
    writeFileSync(join(dataDir, 'server.pid'), '2');
    expect([first, ...['2', '3', '4'].map(usedUp)]).toEqual([0, 8, 16, 0]);
  });
});
