import { describe, expect, it } from 'vitest';
import { chooseHost, parseHosts } from '../../../../functions/adapters/hosts/configuration.ts';
import { addressFields } from '../../../../functions/adapters/senders/fields/address.ts';
import { hostOf } from '../../../../functions/api-deploy/host.ts';
import type { DeployFacts } from '../../../../functions/core/ports/facts.ts';
import { build, notice, push } from '../../../support/senders/deliveries.ts';
import { fixture, recognise } from '../../../support/senders/sender-call.ts';

const target = { user: 'ann', branch: 'master', track: 'master' };
const repository = { hostname: null, owner: 'ann', name: 'shop', url: null, private: false };
/** A build of any CI, which names no host. */
const anonymous = build({ provider: 'ci', hostKind: 'any', repository });
const configured = parseHosts(
  JSON.stringify([{ name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' }]),
);

/** Two configured hosts, on which pushes of ann/shop came from those that are given. */
function ports(...pushedFrom: readonly string[]) {
  const asked: string[] = [];
  const branch: DeployFacts['branch'] = async (user, { host, owner, name }, track) => {
    asked.push(`${user}: ${host}/${owner}/${name} ${track}`);
    return {
      newest: pushedFrom.includes(host) ? 7 : 0,
      tip: null,
      isTipSure: false,
      activeDeploy: null,
      app: null,
      otherName: null,
      ci: {},
    };
  };
  const hostName = (kind: string, hostname: string | null) =>
    kind === 'github' || hostname === 'github.com' ? 'github' : null;
  return { asked, hostName, hostNames: ['github', 'gitlab'], facts: { branch } };
}

describe('the host of a delivery', () => {
  it('is the configured one that its host name or kind selects, without a look at the log', async () => {
    const { asked, ...rest } = ports('gitlab');
    expect(await hostOf(push(), target, rest)).toBe('github');
    expect(await hostOf(build({ repository: { ...repository, hostname: 'github.com' } }), target, rest)).toBe('github');
    expect(asked).toEqual([]);
  });

  it('is the one from which the repository has pushed, when a build names none and several are configured', async () => {
    const { asked, ...rest } = ports('gitlab');
    expect(await hostOf(anonymous, target, rest)).toBe('gitlab');
    expect(asked).toEqual(['ann: github/ann/shop master', 'ann: gitlab/ann/shop master']);
  });

  it('is not guessed when no host has pushed, or two have: the refusal says what to add', async () => {
    for (const pushedFrom of [[], ['github', 'gitlab']]) {
      await expect(hostOf(anonymous, target, ports(...pushedFrom))).rejects.toMatchObject({
        code: 'deploy:provider:not_supported',
        detail: expect.stringMatching(/several are configured: github, gitlab\. Add the repository's own webhook/),
      });
    }
  });

  it('is unknown without an error when the delivery deploys nothing', async () => {
    const failed = { ...anonymous, outcome: 'failed' } as const;
    for (const one of [failed, { ...anonymous, pullRequest: true }, { ...anonymous, branch: 'next' }, notice()]) {
      expect(await hostOf({ ...one, repository }, target, { ...ports(), hostName: () => null })).toBeNull();
    }
    expect(await hostOf(notice({ repository: null }), target, ports())).toBeNull();
  });

  it('must be configured for a push, whatever its branch', async () => {
    const elsewhere = push({
      branch: 'next',
      hostKind: 'gitea',
      repository: { ...repository, hostname: 'git.example.org' },
    });
    await expect(hostOf(elsewhere, target, { ...ports(), hostName: () => null })).rejects.toThrow('git.example.org');
  });

  it('is never guessed for a headerless push whose repository has an address, whatever its field', async () => {
    const named = { name: 'shop', owner: { name: 'ann' } };
    const sent = (addresses: object) => {
      const hook = fixture('github-legacy/push', { repository: { ...named, ...addresses } });
      const [delivery] = recognise({ ...hook, headers: {} }).read(hook);
      if (delivery === undefined) throw new Error('The push has no delivery.');
      return hostOf(delivery, target, {
        ...ports(),
        hostName: (kind, name) => chooseHost(configured, kind, name)?.name ?? null,
      });
    };
    expect(await sent({})).toBe('github');
    expect(await sent({ ssh_url: 'git@github.com:ann/shop.git' })).toBe('github');
    const address = 'https://git.example.org/ann/shop.git';
    for (const field of Object.keys(addressFields)) {
      await expect(sent({ [field]: address }), field).rejects.toMatchObject({ code: 'deploy:provider:not_supported' });
    }
  });

  it('is not known while the database fails', async () => {
    const branch = () => Promise.reject(new Error('away'));
    await expect(hostOf(anonymous, target, { ...ports(), facts: { branch } })).rejects.toThrow('away');
  });
});
