import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const LAST_OUTPUT_MS = 200;

/** Resolves with how a child ended once its output has been read. Never resolves for one that could not be started. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const read = new Promise((closed) => child.once('close', closed));
      // A grandchild may hold the pipes open for ever, so the last output gets a moment and no more.
      Promise.race([read, pause(LAST_OUTPUT_MS)]).then(() => resolve({ code, signal }));
    });
  });
}

/** Returns any string as one word for a POSIX shell: as it is when it needs no quotes. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the file of a program in the folders of a PATH. */
export function programOn(name: string, path = '/usr/bin:/bin'): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
