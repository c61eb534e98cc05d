import { beforeEach, describe, expect, it } from 'vitest';
import { SETTING_NAMES, settingOf, usedSettings } from '../../../../functions/core/apps/settings.ts';
import { cliAt, ok } from '../../../support/cli-service.ts';
import { repository } from '../../../support/entries.ts';
import { SETTING_EXAMPLES } from '../../../support/settings-examples.ts';
import { type AppsWorld, appsWorld } from '../../../support/worlds/apps-world.ts';

const { host, owner, name: repositoryName } = repository;
const mustBe = (name: string, what: string) => ({ detail: expect.stringContaining(`${name}${what} must be `) });

describe.each(['embedded', 'aws-lambda'] as const)('on the platform %s', (platform) => {
  describe.each(SETTING_NAMES)('the setting %s', (name) => {
    const { typed, kept, other, wrong, app: application = 'shop' } = SETTING_EXAMPLES[name];
    const { notOn, notInPackage, kind } = settingOf(name);
    const isSecret = kind.json === 'secret';
    const notHere = notOn?.[platform];
    let world: AppsWorld;

    beforeEach(async () => {
      world = appsWorld();
      await world.log.ownApp('ann', 'shop', { host, owner, name: repositoryName, branch: 'main' });
      world.host.branch(world.host.commit({ owner, name: repositoryName, files: {} }), 'staging');
      Object.assign(world.ports, { platform, ownHost: { name: host, makeDefault: async () => {} } });
    });

    const settings = (body?: string) =>
      world.ask(body === undefined ? 'GET' : 'PATCH', '/1/apps/{user}/{application}/settings', {
        params: { user: 'ann', application },
        ...(body !== undefined && { body: Buffer.from(body) }),
      });

    it('is typed, kept and shown, or refused with the reason', async () => {
      const { bodies } = await cliAt(['set', 'shop', `${name}=${typed}`], [ok({ apps: [{ app: 'shop' }] }), ok({})]);
      const sent = bodies.at(-1) ?? '';
      if (notHere !== undefined) {
        const refused = { code: 'request:bad_parameter', detail: `The setting ${name} cannot be set: ${notHere}.` };
        await expect(settings(sent)).rejects.toMatchObject(refused);
        return;
      }
      const { body } = await settings(sent);
      expect(body).toMatchObject({ [name]: isSecret || kept, next: expect.any(String) });
      expect((await settings()).body).toMatchObject({ [name]: isSecret || kept });
      if (isSecret) expect(JSON.stringify(body)).not.toContain(kept);
      const shown = await cliAt('set shop', [ok((await settings()).body)]);
      expect(shown.out).toMatch(new RegExp(`^${name} +(?!-)\\S`, 'm'));
    });

    it('is refused for what it cannot be', async () => {
      if (notHere !== undefined) return;
      await expect(settings(JSON.stringify({ [name]: wrong }))).rejects.toMatchObject(mustBe(name, ''));
    });

    it('comes from package.json, or is said not to', () => {
      const { settings: used, notes } = usedSettings({}, { deploy: { [name]: kept } }, platform);
      const unused = notInPackage ?? notHere;
      expect(used).toEqual(unused === undefined ? { [name]: kept } : {});
      expect(notes).toEqual([
        unused === undefined
          ? `settings: ${name} ${JSON.stringify(kept)} (package.json)`
          : `"deploy.${name}" of package.json is not used: ${unused}`,
      ]);
      if (isSecret) expect(JSON.stringify(notes)).not.toContain(kept);
      const withWrong = () => usedSettings({}, { deploy: { [name]: wrong } }, platform);
      if (unused === undefined) expect(withWrong).toThrow(expect.objectContaining(mustBe(name, '" of package.json')));
    });

    it.skipIf(isSecret)('comes from a person before package.json', () => {
      const { settings: used, notes } = usedSettings({ [name]: kept }, { deploy: { [name]: other } }, platform);
      expect(used[name]).toEqual(kept);
      expect(notes[0]).toContain(`${name} ${JSON.stringify(kept)} (set by a person)`);
    });
  });
});
