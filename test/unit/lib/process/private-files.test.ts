import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { covering, keyFilter, privateFilesIn } from '../../../../lib/process/private-files.ts';
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

/** What a filter of seccomp returns for a call, by its bytes in the order of this machine. */
function verdictOf(filter: Uint8Array, architecture: number, call: number): number {
  const words = new Uint32Array(filter.buffer);
  const data = new Map([
    [0, call],
    [4, architecture],
  ]);
  let value = 0;
  for (let at = 0; ; at += 1) {
    const [operation, ifTrue = 0, ifFalse = 0] = [new Uint16Array(filter.buffer)[at * 4], ...filter.slice(at * 8 + 2)];
    const operand = words[at * 2 + 1] ?? 0;
    const jump = (isTrue: boolean) => (isTrue ? ifTrue : ifFalse);
    if (operation === 0x06) return operand;
    if (operation === 0x20) value = data.get(operand) ?? Number.NaN;
    else if (operation === 0x54) value = (value & operand) >>> 0;
    else if (operation === 0x15) at += jump(value === operand);
    else if (operation === 0x35) at += jump(value >= operand);
    else if (operation === 0x25) at += jump(value > operand);
    else throw new Error(`There is no operation ${operation}.`);
  }
}

describe('the filter of calls', () => {
  const filter = keyFilter();
  it.each([
    ['x86_64', 0xc000003e, 248],
    ['x86_64 as x32', 0xc000003e, 0x40000000 + 248],
    ['i386', 0x40000003, 286],
    ['aarch64', 0xc00000b7, 217],
    ['arm', 0x40000028, 309],
    ['riscv64', 0xc00000f3, 217],
    ['ppc64le', 0xc0000015, 269],
    ['s390x', 0x80000016, 278],
  ])('permits add_key, request_key and keyctl to nobody on %s, and all others', (_, architecture, first) => {
    for (const call of [0, 1, 2]) expect(verdictOf(filter, architecture, first + call)).toBe(0x00050001);
    for (const call of [-1, 3, 100]) expect(verdictOf(filter, architecture, first + call)).toBe(0x7fff0000);
  });

  it('permits what it does not know', () => {
    expect(verdictOf(filter, 0x1234, 248)).toBe(0x7fff0000);
  });
});
