import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applicationsContract } from '../../../../../contracts/applications.ts';
import { hostingPlatformContract } from '../../../../../contracts/hosting-platform.ts';
import { type EmulatedApps, emulatedApps } from '../../../../../support/aws-local/apps/emulated-apps.ts';

// Each deploy is a real build and the start of a real program.
vi.setConfig({ testTimeout: 120_000 });

let apps: EmulatedApps;
beforeAll(async () => {
  apps = await emulatedApps();
});
afterAll(() => apps?.close());

/** The suites share the emulators; each has a user of its own. */
const openFor = (user: string) => async () => ({ ...apps, user, close: async () => {} });

hostingPlatformContract('AWS Lambda on the emulators', openFor('kiwi'));
applicationsContract('AWS Lambda on the emulators', openFor('lime'));

describe('the emulators', () => {
  it('know every call of the platform and every parameter', () => {
    expect(apps.warnings).toEqual([]);
  });
});
