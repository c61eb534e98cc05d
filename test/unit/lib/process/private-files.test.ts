import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { covering, privateFilesIn } from '../../../../lib/process/private-files.ts';
import { newFolder } from '../../../support/new-folder.ts';

describe('the private files below a folder', () => {
  const place = newFolder('ssl');
  const folder = (name: string, mode: number) => {
    mkdirSync(join(place, name), { recursive: true });
    chmodSync(join(place, name), mode);
  };
  const file = (name: string, mode: number) => {
    writeFileSync(join(place, name), '');
    chmodSync(join(place, name), mode);
  };
  folder('certs', 0o755);
  folder('private', 0o710);
  folder('tls', 0o755);
  folder('tls/private', 0o700);
  folder('searched-only', 0o711);
  file('certs/public.pem', 0o644);
  file('certs/key.pem', 0o640);
  file('private/key.pem', 0o644);
  file('tls/own-key.pem', 0o600);
  symlinkSync('../private/key.pem', join(place, 'certs/link.pem'));

  it('are those that not every user of the machine may read, and what not every user may search', () => {
    const found = privateFilesIn(place).map(({ path }) => path.slice(place.length + 1));
    expect(found.sort()).toEqual(['certs/key.pem', 'private', 'searched-only', 'tls/own-key.pem', 'tls/private']);
  });

  it('are covered with an empty file and an empty folder that cannot be written to, as far as they exist still', () => {
    const found = privateFilesIn(place);
    for (const name of ['searched-only', 'tls']) rmSync(join(place, name), { recursive: true });
    const [key, keys] = [join(place, 'certs/key.pem'), join(place, 'private')];
    const covers = covering(found).join(' ');
    expect(covers).toContain(`--ro-bind /dev/null ${key}`);
    expect(covers).toContain(`--tmpfs ${keys} --remount-ro ${keys}`);
    expect(covers).not.toContain('tls');
    expect(covers).not.toContain('searched-only');
  });

  it('are none of a file, and of what does not exist', () => {
    expect(privateFilesIn(join(place, 'certs/public.pem'))).toEqual([]);
    expect(privateFilesIn(join(place, 'nothing'))).toEqual([]);
  });
});
