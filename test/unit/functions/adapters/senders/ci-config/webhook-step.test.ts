import { describe, expect, it } from 'vitest';
import { ciConfig, refusalOf } from '../../../../../support/senders/ci-decision.ts';

const droneConfig = ciConfig('drone');
const woodpeckerConfig = ciConfig('woodpecker');
const url = 'https://deploy.example.org/1/deploy';

/** A pipeline of Drone whose last step calls, with more lines at the step. */
function pipeline(...lines: readonly string[]): string {
  return [
    'kind: pipeline',
    'name: default',
    'steps:',
    '- name: test',
    '  image: node:20',
    '- name: deploy',
    '  image: plugins/webhook',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

const settings = ['settings:', `  urls: ${url}`];

describe('a .drone.yml holds a push', () => {
  const forms: [string, string][] = [
    ['the webhook plugin with one address', pipeline(...settings)],
    ['a list of addresses', pipeline('settings:', '  urls:', `  - ${url}`)],
    ['an address that is a secret', pipeline('settings:', '  urls:', '    from_secret: deploy_url')],
    ['another registry and a version', pipeline(...settings).replace('plugins/webhook', 'ghcr.io/x/drone-webhook:1.2')],
    ['a condition that a push meets', pipeline(...settings, 'when:', '  event: [push, tag]', '  status: success')],
    ['a condition that leaves others out', pipeline(...settings, 'when:', '  event: {exclude: [pull_request]}')],
    ['the second of two pipelines', `kind: pipeline\nsteps: []\n---\n${pipeline(...settings)}`],
    ['a pipeline beside a secret', `${pipeline(...settings)}\n---\nkind: secret\nname: x\ndata: y`],
    ['the form before Drone 1.0', `pipeline:\n  deploy:\n    image: plugins/webhook\n    urls: ${url}`],
    ['an anchor', `x: &w\n  image: plugins/webhook\n  settings: {urls: "${url}"}\nsteps:\n- <<: *w\n  name: deploy`],
    ['unknown tags elsewhere', `x: !reference [a]\n${pipeline(...settings)}`],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(droneConfig.decide(text)).toEqual({ hold: true, waitsFor: 'Drone' }));
  }
});

describe('a .drone.yml does not hold a push', () => {
  const forms: [string, string][] = [
    ['an empty file', ''],
    ['no webhook', 'kind: pipeline\nsteps:\n- name: test\n  image: node:20'],
    ['the plugin without an address', pipeline('settings:', '  method: post')],
    ['an image that only sounds like it', pipeline(...settings).replace('plugins/webhook', 'webhook/server')],
    ['text', 'hello'],
  ];
  for (const [what, text] of forms) {
    it(`for ${what}`, () => expect(droneConfig.decide(text)).toEqual({ hold: false, note: null }));
  }

  const never: [string, string][] = [
    ['a step for failures', pipeline(...settings, 'when:', '  status: [failure]')],
    ['a step for pull requests', pipeline(...settings, 'when:', '  event: pull_request')],
    ['a pipeline for tags', `${pipeline(...settings)}\ntrigger:\n  event: [tag]`],
    ['a step that leaves pushes out', pipeline(...settings, 'when:', '  event: {exclude: [push]}')],
  ];
  for (const [what, text] of never) {
    it(`for ${what}, and notes that it would never be released`, () => {
      expect(droneConfig.decide(text)).toMatchObject({
        hold: false,
        note: expect.stringMatching(/^\.drone\.yml calls/),
      });
    });
  }
});

describe('a .woodpecker.yml', () => {
  const steps = (more: string) =>
    `steps:\n  test: {image: node}\n  deploy:\n    image: woodpeckerci/plugin-webhook\n    settings: {urls: "${url}"}\n${more}`;

  it('holds a push for a step with the webhook plugin, by name or in a list', () => {
    expect(woodpeckerConfig.decide(steps(''))).toEqual({ hold: true, waitsFor: 'Woodpecker' });
    const list = `steps:\n- name: deploy\n  image: codeberg.org/x/plugin-webhook@sha256:ab\n  settings: {urls: ["${url}"]}`;
    expect(woodpeckerConfig.decide(list)).toMatchObject({ hold: true });
  });

  it('holds a push when one of several conditions admits it', () => {
    const when = 'when:\n- event: tag\n- event: push\n  branch: main\n';
    expect(woodpeckerConfig.decide(steps(when))).toMatchObject({ hold: true });
    expect(woodpeckerConfig.decide(steps('when:\n- event: tag\n- event: cron\n'))).toMatchObject({ hold: false });
  });

  it('that cannot be read is an error with file, line and column, in any document', () => {
    expect(refusalOf(woodpeckerConfig, 'steps:\n\t- x').detail).toMatch(/^\.woodpecker\.yml cannot be read: .*line 2/);
    expect(refusalOf(droneConfig, 'steps: []\n---\nsteps: [').detail).toMatch(/^\.drone\.yml cannot be read: .*line 3/);
  });
});
