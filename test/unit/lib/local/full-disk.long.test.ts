import fs, { mkdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { FULL_DISK, OperatorError } from '../../../../lib/files/errors.ts';
import { startLocal } from '../../../../lib/local/start.ts';
import { newFolder } from '../../../support/new-folder.ts';

const { writeFileSync } = fs;
const { open, writeFile } = fs.promises;
const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

afterEach(() => {
  fs.writeFileSync = writeFileSync;
  Object.assign(fs.promises, { open, writeFile });
  syncBuiltinESMExports();
});

// The first is written by the lock, the second by the configuration, the others by what starts after that.
it.each(['lock', 'password', 'proxy.json', 'token.key', 'repositories'])(
  'a start that finds the disk full when it writes %s says so',
  async (name) => {
    const dataDir = newFolder('full-start');
    mkdirSync(dataDir, { recursive: true });
    const isFull = (path: unknown) => String(path).startsWith(join(dataDir, name));
    fs.writeFileSync = (path, ...rest) => {
      if (isFull(path)) throw noSpace();
      writeFileSync(path, ...rest);
    };
    fs.promises.open = async (path, flags, mode) => {
      if (flags !== 'r' && isFull(path)) throw noSpace();
      return open(path, flags, mode);
    };
    fs.promises.writeFile = async (path, ...rest) => {
      if (isFull(path)) throw noSpace();
      return writeFile(path, ...rest);
    };
    syncBuiltinESMExports();
    const starting = startLocal({ project: process.cwd(), dataDir, port: 0 });
    await expect(starting).rejects.toThrow(FULL_DISK);
    await expect(starting).rejects.toBeInstanceOf(OperatorError);
  },
);
