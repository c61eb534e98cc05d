import { describe, expect, it } from 'vitest';
import { engineWarning } from '../../../../lib/platform/build/engine-warning.ts';
import { appFiles, build, platform, serverFile } from '../../../support/platform/harness.ts';

const warning = (node: string, version: string) => engineWarning({ scripts: {}, engines: { node } }, version);

describe('engines.node of an application', () => {
  it.each([
    ['>=20', 'v20.20.2'],
    ['^20.0.0 || ^22.0.0', 'v22.1.0'],
    ['20.x', 'v20.0.0'],
    ['*', 'v24.0.0'],
    ['', 'v24.0.0'],
    ['>=22', 'v22.0.0-nightly2024'],
  ])('the range %j in engines.node is satisfied by Node %s', (range, version) => {
    expect(warning(range, version)).toBeUndefined();
  });

  it('a range that excludes the Node of this machine is a warning that names both', () => {
    expect(warning('>=22 <23', 'v20.20.2')).toBe(
      'package.json: engines.node is ">=22 <23"; the application runs on Node v20.20.2.',
    );
  });

  it('an invalid range is a warning', () => {
    expect(warning('the newest', 'v20.20.2')).toMatch(/"the newest", which is not a range/);
  });

  it('engines.node is not checked when package.json has none', () => {
    expect(engineWarning({ scripts: {} })).toBeUndefined();
  });

  it('an unsatisfied range is a line in the log of the build and an event, and the build continues', async () => {
    const events: string[] = [];
    const at = await platform({ log: ({ type, detail }) => events.push(`${type}: ${detail}`) });
    const files = appFiles('hello', serverFile('hello'), { engines: { node: '<4' } });
    const { body } = await build(at, 'hello', '1', files);
    expect(body).toMatchObject({ state: 'ready', log: [expect.stringContaining('engines.node is "<4"')] });
    expect(events).toContainEqual(expect.stringContaining('snapshot.warning: package.json: engines.node is "<4"'));
  });
});
