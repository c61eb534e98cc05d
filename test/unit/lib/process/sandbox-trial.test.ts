import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolationFor } from '../../../../lib/local/programs/isolation.ts';
import { trySandbox } from '../../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../../../support/new-folder.ts';

/** A folder with programs that do nothing. */
function withPrograms(...names: readonly string[]): string {
  const folder = newFolder('programs');
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const MAPPING = 'bwrap: setting up uid map: Permission denied\n';
const NEW = 'bwrap: No permissions to create new namespace, likely because the kernel does not allow it\n';

describe('the trial of the sandbox', () => {
  it.each([
    ['apt-get', 'apt install bubblewrap'],
    ['dnf', 'dnf install bubblewrap'],
    ['apk', 'apk add bubblewrap'],
    ['pacman', 'pacman -S bubblewrap'],
    ['zypper', 'zypper install bubblewrap'],
  ])('names the command of %s that installs bubblewrap', async (manager, command) => {
    const tried = await trySandbox({ platform: 'linux', path: withPrograms(manager) });
    expect(tried).toEqual({ why: `bubblewrap is not installed; "${command}" installs it` });
  });

  it('says that macOS has no namespaces', async () => {
    expect(await trySandbox({ platform: 'darwin' })).toEqual({ why: 'macOS has no namespaces' });
  });

  it.each([
    [MAPPING, { 'kernel/apparmor_restrict_unprivileged_userns': '1' }, /^AppArmor denies .* \/etc\/apparmor\.d/],
    [NEW, { 'kernel/unprivileged_userns_clone': '0' }, /"sysctl kernel\.unprivileged_userns_clone=1" allows them$/],
    [NEW, { 'user/max_user_namespaces': '0' }, /"sysctl user\.max_user_namespaces=10000" allows them$/],
    [NEW, {}, /^this system or its container does not allow user namespaces to bubblewrap \(No permissions /],
    [
      'bwrap: Unexpected capabilities but not setuid, old file caps config?\n',
      {},
      /setpriv of util-linux .* a proxy take those$/,
    ],
    ["bwrap: Can't mkdir /newroot: Read-only file system\n", {}, /^bubblewrap does not work here \(Can't mkdir/],
  ])('tells why it failed with %j', async (printed, settings: Readonly<Record<string, string>>, why) => {
    const path = withPrograms('bwrap');
    const tried = {
      platform: 'linux',
      path,
      run: async () => printed,
      kernel: (name: string) => settings[name],
    } as const;
    expect(await trySandbox(tried)).toEqual({ why: expect.stringMatching(why) });
  });

  it('does without the options that an older version of bubblewrap does not know', async () => {
    const path = withPrograms('bwrap');
    const run = async (_command: unknown, options: readonly string[]) =>
      options.includes('--disable-userns') ? 'bwrap: Unknown option --disable-userns\n' : undefined;
    const options = ['--tmpfs', '/dev/shm', '--remount-ro', '/dev'];
    expect(await trySandbox({ platform: 'linux', path, run })).toEqual({ command: [join(path, 'bwrap')], options });
  });
});

describe('the setting "isolation"', () => {
  const failing = async () => ({ why: 'bubblewrap is not installed' });
  const working = async () => ({ command: ['/usr/bin/bwrap'] as const, options: [] });

  it('is auto by default: where it cannot be, the operator is told once', async () => {
    const told: string[] = [];
    const options = { hidden: '/data', warn: (sentence: string) => void told.push(sentence) };
    expect(await isolationFor({}, { ...options, tried: failing })).toBeNull();
    expect(told).toEqual([
      'Applications are not isolated from each other and from the service: bubblewrap is not installed.',
    ]);
    const isolated = { command: ['/usr/bin/bwrap'], options: [], hidden: '/data' };
    expect(await isolationFor({ isolation: 'auto' }, { ...options, tried: working })).toEqual(isolated);
    expect(told).toHaveLength(1);
  });

  it('refuses the start where it is required and cannot be, and tries nothing where it is off', async () => {
    const warn = () => expect.unreachable();
    await expect(isolationFor({ isolation: 'required' }, { hidden: '/data', warn, tried: failing })).rejects.toThrow(
      'Applications cannot be isolated ("isolation"): bubblewrap is not installed.',
    );
    expect(await isolationFor({ isolation: 'off' }, { hidden: '/data', warn, tried: warn })).toBeNull();
  });
});
