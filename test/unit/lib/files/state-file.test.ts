import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { readState, readStateSync, writeState, writeStateSync } from '../../../../lib/files/state-file.ts';
import { newFolder } from '../../../support/new-folder.ts';

const schema = v.object({ name: v.string() });
const ways = [
  { way: 'asynchronously', read: readState, write: writeState },
  {
    way: 'synchronously',
    read: async (...args: Parameters<typeof readStateSync>) => readStateSync(...args),
    write: async (...args: Parameters<typeof writeStateSync>) => writeStateSync(...args),
  },
];

describe.each(ways)('A state file, $way', ({ read, write }) => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = newFolder('state');
    path = join(folder, 'deeper', 'state.json');
  });

  it('returns what was written last', async () => {
    await write(path, { name: 'first' });
    await write(path, { name: 'second' });
    expect(await read(path, schema)).toEqual({ name: 'second' });
  });

  it('is undefined before it is written', async () => {
    expect(await read(path, schema)).toBeUndefined();
  });

  it('keeps the old content and leaves no other file when it cannot be written', async () => {
    await write(path, { name: 'old' });
    await expect(write(join(path, 'below-a-file.json'), { name: 'new' })).rejects.toThrow();
    expect(await readdir(join(folder, 'deeper'))).toEqual(['state.json']);
    expect(await readFile(path, 'utf8')).toContain('old');
  });

  it.each(['', 'secret{', '{"name":7}'])(
    'is an error that names it, not its content, when it holds %j',
    async (text) => {
      await write(path, { name: 'old' });
      await writeFile(path, text);
      const error = await read(path, schema).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OperatorError);
      expect(String(error)).toContain(`${path} is damaged`);
      expect(String(error)).not.toContain('secret{');
    },
  );

  it('is an error that names it when it cannot be read', async () => {
    await mkdir(path, { recursive: true });
    await expect(read(path, schema)).rejects.toThrow(`${path} cannot be read`);
  });
});

it('A state file is readable by its owner only when it is secret', async () => {
  const path = join(newFolder('state'), 'deeper', 'state.json');
  writeStateSync(path, { name: 'secret' }, { secret: true, durable: true });
  expect(readStateSync(path, schema)).toEqual({ name: 'secret' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
