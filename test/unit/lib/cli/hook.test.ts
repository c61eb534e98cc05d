import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { senders } from '../../../../functions/adapters/senders/registry.ts';
import { server } from '../../../support/api-server.ts';
import { cli } from '../../../support/cli.ts';
import { newFolder } from '../../../support/new-folder.ts';

const secret = 'p@ss/wörd:canary';
const env = { HOOKS_URL: 'https://deploy.example.com/', HOOKS_USER: 'kiwi', HOOKS_SECRET: secret };
const stored = 'https://kiwi:p%40ss%2Fw%C3%B6rd%3Acanary@deploy.example.com/1/deploy?branch=main';

async function run(args: string, more: Readonly<Record<string, string | undefined>> = {}) {
  const { code, out, err } = await cli(`hook ${args}`, { env: { ...env, ...more } });
  return { code, text: out, err };
}

const withSetup = senders.filter(({ setup }) => setup !== null).map(({ id }) => id);

describe('The printed settings of a webhook', () => {
  it.each(withSetup)('for %s have a placeholder in place of the secret', async (sender) => {
    const { code, text } = await run(`${sender} octo/hello`);
    expect(code).toBe(0);
    expect(text).toMatch(/deploy\.example\.com\/1\/deploy/);
    expect(text).toContain('<token>');
    expect(text).not.toContain('canary');
  });

  it('exist for every sender except those that need none', () => {
    expect(senders.filter(({ setup }) => setup === null).map(({ id }) => id)).toEqual(['github-legacy']);
  });

  it('name the page of the host, how a token with few rights is made, and what deploys first', async () => {
    const { text } = await run('github octo/hello');
    expect(text).toContain('https://github.com/octo/hello/settings/hooks/new');
    expect(text).toContain('"hooks tokens create github --rights deploy"');
    expect(text).toContain('The next push of the branch deploys it');
    expect((await run('github-actions octo/hello')).text).toContain('when this calls with a passed build');
  });

  it('contain user, branch and, with --show-secret, the secret, encoded for a URL', async () => {
    expect((await run('github octo/hello --branch feature/x')).text).toContain(
      'https://kiwi:<token>@deploy.example.com/1/deploy?branch=feature%2Fx',
    );
    expect((await run('gitlab a/b/hello --branch main --show-secret')).text).toContain(stored);
  });

  it('name an environment with --environment, which has no previews', async () => {
    const { text } = await run('github octo/hello --branch staging --environment Staging');
    expect(text).toContain('/1/deploy?branch=staging&environment=staging');
    for (const [args, problem] of [
      ['--environment a_b', '--environment is a word'],
      ['--environment staging --previews', 'An environment has no previews.'],
    ]) {
      expect(await run(`github octo/hello ${args}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${problem}`),
      });
    }
  });

  it('ask for previews with --previews, and name the events that they need', async () => {
    const { text } = await run('github octo/hello --branch main --previews');
    expect(text).toContain('/1/deploy?branch=main&previews=true');
    expect(text).toMatch(/And the events +Pull requests/);
    const { text: ofBitbucket } = await run('bitbucket octo/hello --previews');
    expect(ofBitbucket).toMatch(/And the events +Pull request: Created, Updated, Merged, Declined/);
    const { code, err } = await run('travis octo/hello --previews');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('only those of forgejo, gitea, gitlab, bitbucket, github.'),
    ]);
  });

  it('ask for previews that wait for CI with --previews-ci, and say which events bring its results', async () => {
    const { text, err } = await run('github octo/hello --previews-ci');
    expect(text).toContain('/1/deploy?previews=ci');
    expect(text).toMatch(/And the events +Pull requests/);
    expect(err).toContain('"hooks hook github-actions octo/hello" or ');
    expect((await run('github octo/hello --previews')).err).not.toContain('CI');
    expect((await run('gitlab octo/hello --previews --previews-ci')).err).toContain('hooks hook gitlab-ci octo/hello');
  });

  it('have the login in a header rather than in the address where the host supports it', async () => {
    const { text } = await run('forgejo octo/hello --show-secret');
    expect(text).toContain(`Basic ${Buffer.from(`kiwi:${secret}`).toString('base64')}`);
    expect(text).not.toContain('kiwi:p');
  });

  it.each([
    ['semaphore', 'A CI provider that can run a command can make this call.'],
    ['azure-devops', 'add the event Check suites to the webhook of the repository'],
    ['jenkins', 'Its builds call with one line at their end'],
    ['github-legacy', 'A CI provider'],
    ['constructor', 'A CI provider'],
  ])('are those for any CI where the sender %s has none, which is said', async (sender, said) => {
    const { code, text, err } = await run(`${sender} octo/hello`);
    expect(code).toBe(0);
    expect(text).toBe((await run('ci octo/hello')).text);
    expect(err).toContain(`There are no settings for "${sender}", only for forgejo, `);
    expect(err).toContain(said);
  });

  it.each([
    ['', 'Usage'],
    ['github', 'Usage'],
    ['github octo/hello more', 'Usage'],
    ['github octo/hello --unknown', 'Usage'],
    ['github hello', '<owner>/<name>'],
    ['github ../hello', '<owner>/<name>'],
    ['github octo/hello --url http://deploy.example.com', 'https://'],
    ['github octo/hello --url https://me:canary@deploy.example.com', 'must not hold a login'],
  ])('are replaced by an error for the arguments %j', async (args, words) => {
    const { code, text, err } = await run(args);
    expect(code).toBe(2);
    expect(text).toBe('');
    expect(err).toContain(words);
    expect(err).not.toContain('canary');
  });

  it('need HOOKS_SECRET with --show-secret', async () => {
    expect((await run('github o/n --show-secret', { HOOKS_SECRET: '' })).err).toContain('--show-secret needs');
  });
});

describe('The address of a webhook for the service on this machine', () => {
  /** The printed settings, where `GET /` of the service is answered with this. */
  async function hookAt(document: string) {
    const dataDir = newFolder('hook');
    const url = await server((_, response) => void response.end(document));
    writeFileSync(join(dataDir, 'url'), url);
    writeFileSync(join(dataDir, 'netrc'), 'machine 127.0.0.1 login demo password pass-canary\n');
    const ran = await cli('hook github octo/hello', { env: { DATA_DIR: dataDir } });
    return { ...ran, url };
  }

  it('is its public one', async () => {
    const document = JSON.stringify({ links: { deploy: 'https://deploy.example.com/hooks/1/deploy' } });
    const { code, out, err } = await hookAt(document);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('https://demo:<token>@deploy.example.com/hooks/1/deploy');
  });

  it.each(['', '{}', '{"links":{"deploy":7}}'])(
    'is the one here for the answer "%s", with a warning',
    async (answer) => {
      const { out, err, url } = await hookAt(answer);
      expect(out).toContain(`${url.replace('://', '://demo:<token>@')}/1/deploy`);
      expect(err).toContain('PUBLIC_URL');
    },
  );
});
