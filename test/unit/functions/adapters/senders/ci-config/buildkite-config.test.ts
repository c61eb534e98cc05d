import { describe, expect, it } from 'vitest';
import { ciConfig, refusalOf } from '../../../../../support/senders/ci-decision.ts';

const buildkiteConfig = ciConfig('buildkite');
const { decide } = buildkiteConfig;
const steps = 'steps:\n- command: npm test\n';

describe('a .buildkite/pipeline.yml holds a push', () => {
  const forms: [string, string][] = [
    ['a webhook', `${steps}notify:\n- webhook: https://deploy.example.org/1/deploy`],
    ['a webhook with a condition', `${steps}notify:\n- webhook: $DEPLOY_URL\n  if: build.state == "passed"`],
    ['a webhook among others', `${steps}notify:\n- email: a@example.org\n- webhook: https://deploy.example.org`],
    ['an anchor', `common:\n  hooks: &hooks\n  - webhook: https://deploy.example.org\n${steps}notify: *hooks`],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: true, waitsFor: 'Buildkite' }));
  }
});

describe('a .buildkite/pipeline.yml does not hold a push', () => {
  const forms: [string, string][] = [
    ['an empty file', ''],
    ['steps alone', steps],
    ['a bare list of steps', '- command: npm test\n- wait\n'],
    ['other notifications', `${steps}notify:\n- slack: "#deploys"\n- github_commit_status: {context: x}`],
    ['a webhook without an address', `${steps}notify:\n- webhook:`],
  ];
  for (const [what, text] of forms) it(`for ${what}`, () => expect(decide(text)).toEqual({ hold: false, note: null }));
});

describe('a .buildkite/pipeline.yml that cannot be read', () => {
  it('is an error with file, line and column', () => {
    expect(refusalOf(buildkiteConfig, 'steps:\n\t- x').detail).toMatch(
      /^\.buildkite\/pipeline\.yml cannot be read: .*line 2/,
    );
  });
});
