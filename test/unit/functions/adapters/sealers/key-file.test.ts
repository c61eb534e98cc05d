import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyFileSealer } from '../../../../../functions/adapters/sealers/key-file.ts';
import { sealerContract } from '../../../../contracts/sealer.ts';
import { memorySealer } from '../../../../fakes/sealer.ts';
import { newFolder } from '../../../../support/new-folder.ts';

const context = { purpose: 'repo-token', user: 'kiwi', host: 'github' } as const;
const newFile = () => join(newFolder('sealer'), 'token.key');

sealerContract('A key file', async () => keyFileSealer(newFile()));
sealerContract('The fake', async () => memorySealer());

describe('the sealer with a key file', () => {
  it('makes a key that only its owner can read, and keeps it', async () => {
    const file = newFile();
    const sealed = await keyFileSealer(file).seal('secret', context);
    const key = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await keyFileSealer(file).open(sealed, context)).toBe('secret');
    expect(readFileSync(file, 'utf8')).toBe(key);
  });

  it('seals the same secret differently each time', async () => {
    const sealer = keyFileSealer(newFile());
    expect(await sealer.seal('secret', context)).not.toBe(await sealer.seal('secret', context));
  });

  it('does not open what was sealed with another key', async () => {
    const sealed = await keyFileSealer(newFile()).seal('secret', context);
    await expect(keyFileSealer(newFile()).open(sealed, context)).rejects.toThrow();
  });

  it('refuses a file that is not a key, and leaves it', () => {
    const file = newFile();
    writeFileSync(file, 'c2hvcnQ=\n');
    expect(() => keyFileSealer(file)).toThrow(`${file} is not a key: put back the one that was there`);
    expect(readFileSync(file, 'utf8')).toBe('c2hvcnQ=\n');
  });
});
