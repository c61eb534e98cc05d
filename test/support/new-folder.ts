import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder, which is removed with all files of the run at its end. */
export function newFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `${name}-`));
}
