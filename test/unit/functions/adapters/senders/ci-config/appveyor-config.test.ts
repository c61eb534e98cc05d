import { describe, expect, it } from 'vitest';
import { ciConfig, refusalOf } from '../../../../../support/senders/ci-decision.ts';

const appveyorConfig = ciConfig('appveyor');
const { decide } = appveyorConfig;
const hook = 'url: https://u:s3cret@deploy.example.org/1/deploy';

describe('an appveyor.yml holds a push', () => {
  const forms: [string, string][] = [
    ['a webhook', `notifications:\n- provider: Webhook\n  ${hook}`],
    [
      'a webhook among others',
      `notifications:\n- provider: Email\n  to: [a@example.org]\n- provider: webhook\n  ${hook}`,
    ],
    ['an encrypted address', 'notifications:\n- provider: Webhook\n  url:\n    secure: bG9uZw=='],
    ['one that keeps silent on failure', `notifications:\n- provider: Webhook\n  ${hook}\n  on_build_failure: false`],
    [
      'one of a list of configurations',
      `-\n  branches: {only: [main]}\n-\n  notifications:\n  - provider: Webhook\n    ${hook}`,
    ],
    ['an anchor', `x: &hook\n  provider: Webhook\n  ${hook}\nnotifications:\n- <<: *hook\n  on_build_failure: false`],
    ['unknown tags elsewhere', `x: !reference [a, b]\nnotifications:\n- provider: Webhook\n  ${hook}`],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: true, waitsFor: 'AppVeyor' }));
  }

  it('and says that AppVeyor may call only when the result changes', () => {
    const text = `notifications:\n- provider: Webhook\n  ${hook}\n  on_build_success: false\n  on_build_status_changed: true`;
    expect(decide(text)).toMatchObject({ hold: true, waitsFor: expect.stringMatching(/only when the result changes/) });
  });
});

describe('an appveyor.yml does not hold a push', () => {
  const forms: [string, string][] = [
    ['an empty file', ''],
    ['no notifications', 'version: 1.0.{build}'],
    ['other notifications', 'notifications:\n- provider: Slack\n  url: https://hooks.example.org'],
    ['a webhook without an address', 'notifications:\n- provider: Webhook'],
    ['a webhook to deploy to', 'deploy:\n  provider: Webhook\n  url: https://other.example.org'],
    ['text', 'hello'],
  ];
  for (const [what, text] of forms) it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: false, note: null }));

  it('for on_build_success: false, and notes that it would never be released', () => {
    const text = `notifications:\n- provider: Webhook\n  ${hook}\n  on_build_success: false`;
    expect(decide(text)).toMatchObject({ hold: false, note: expect.stringMatching(/on_build_success: false/) });
  });
});

describe('an appveyor.yml that cannot be read', () => {
  it('is an error with file, line and column, but without the URL of the webhook', () => {
    const { code, detail } = refusalOf(appveyorConfig, `notifications:\n- provider: Webhook\n  ${hook}\n bad: [`);
    expect(code).toBe('deploy:provider:not_supported');
    expect(detail).toMatch(/^appveyor\.yml cannot be read: .*line \d+/);
    expect(detail).not.toContain('s3cret');
  });
});
