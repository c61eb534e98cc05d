import type { SettingName } from '../../functions/core/apps/settings.ts';

interface Example {
  /** As it is typed after `hooks set <name>=`, and in the field of the page. */
  readonly typed: string;
  readonly kept: unknown;
  readonly other: unknown;
  /** What it cannot be, in an API call or in a package.json. */
  readonly wrong: unknown;
  /** An application that may have it; absent: one that is deployed already. */
  readonly app?: string;
}

/** A value of each setting. Tests go through the table of settings: one that is not here fails them. */
export const SETTING_EXAMPLES: Readonly<Record<SettingName, Example>> = {
  branch: { typed: 'refs/heads/staging', kept: 'staging', other: 'main', wrong: 'a b' },
  path: { typed: './apps/web/', kept: 'apps/web', other: 'web', wrong: '../x' },
  environment: { typed: 'Staging', kept: 'staging', other: 'qa', wrong: 'pr-7', app: 'shop-staging' },
  install: { typed: 'npm ci --omit=dev', kept: 'npm ci --omit=dev', other: 'make', wrong: 'x'.repeat(1001) },
  build: { typed: '', kept: '', other: 'make', wrong: 5 },
  start: { typed: 'node . --a=b,c', kept: 'node . --a=b,c', other: 'make', wrong: 'a\nb' },
  output: { typed: './dist/site/', kept: 'dist/site', other: 'site', wrong: '../x' },
  health: { typed: '/healthz 30', kept: '/healthz, 30', other: '/, 60', wrong: 'healthz' },
  overlap: { typed: 'false', kept: false, other: true, wrong: 'no' },
  affinity: { typed: 'true', kept: true, other: false, wrong: 'no' },
  password: { typed: 'correct horse', kept: 'correct horse', other: 'battery staple', wrong: 'short' },
  keep: { typed: './.tmp/, *.sqlite', kept: ['.tmp', '*.sqlite'], other: ['data'], wrong: '.tmp' },
};
