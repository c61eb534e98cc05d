import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { textAt } from '../../../../functions/adapters/hosts/http/text-at.ts';
import { senderRegistry, senders } from '../../../../functions/adapters/senders/registry.ts';
import { signatureVerifier } from '../../../../functions/adapters/senders/signatures/verifier.ts';
import { travis } from '../../../../functions/adapters/senders/travis/travis.ts';
import { requireSignature } from '../../../../functions/api-deploy/signature.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { server } from '../../../support/api-server.ts';
import { AT, MINUTE } from '../../../support/entries.ts';
import { build } from '../../../support/senders/deliveries.ts';

const json = '{"id":1,"message":"é ✓"}';
const first = generateKeyPairSync('rsa', { modulusLength: 1024 });
const second = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

/** A call of Travis CI, signed or not. */
function call(key: KeyObject | null) {
  const raw = new TextEncoder().encode(`payload=${encodeURIComponent(json)}`);
  const signature = key && sign('RSA-SHA1', Buffer.from(json), key).toString('base64');
  return { headers: signature === null ? {} : { signature }, query: {}, body: {}, raw };
}

/** The API of Travis CI, and calls that are let in or not by the key that it shows. */
async function world() {
  const api = { body: '', status: 200, asked: 0 };
  const url = await server((_request, response) => {
    api.asked += 1;
    response.writeHead(api.status).end(api.body);
  });
  const show = (key: KeyObject) => {
    api.body = JSON.stringify({ config: { notifications: { webhook: { public_key: pem(key) } } } });
  };
  show(first.publicKey);
  const clock = memoryClock(AT);
  const verify = signatureVerifier(senderRegistry(senders).signatureOf, { fetchText: textAt, clock });
  const enter = (key: KeyObject | null, secrets: readonly string[] = [`${url}/config`]) =>
    requireSignature(
      [build({ provider: 'travis' })],
      { sender: travis, call: call(key), user: 'ann', at: AT },
      { hookSecrets: async () => ({ ann: { travis: secrets } }), verify },
    );
  return { api, show, clock, enter, url };
}

const refused = { code: 'deploy:auth:bad_creds', status: 401 };
const down = { code: 'mw:auth:auth_server_down', status: 500 };

let { enter, show, url, api, clock } = {} as Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  ({ enter, show, url, api, clock } = await world());
});

describe('a call of Travis CI whose key is at an address', () => {
  it('is let in by the key that is shown there, fetched once', async () => {
    await enter(first.privateKey);
    await enter(first.privateKey);
    expect(api.asked).toBe(1);
  });

  it('is refused without a signature, for which nobody is asked', async () => {
    await expect(enter(null)).rejects.toMatchObject({ ...refused, detail: expect.stringContaining('is missing') });
    expect(api.asked).toBe(0);
  });

  it('is let in by a new key once it is shown, and no more by the old one', async () => {
    await enter(first.privateKey);
    show(second.publicKey);
    clock.pass(MINUTE);
    await enter(second.privateKey);
    await expect(enter(first.privateKey)).rejects.toMatchObject(refused);
  });

  it.each([
    ['answers with an error', 503, ''],
    ['redirects', 302, ''],
    ['answers with something else', 200, '{"config": {"canary": 1}}'],
    ['shows no key', 200, '{"config":{"notifications":{"webhook":{"public_key":"canary"}}}}'],
  ])('is told to come again when the API %s: it is not let in unverified', async (_what, status, body) => {
    Object.assign(api, { status, body });
    const error = await enter(first.privateKey).catch((thrown: Error) => thrown);
    expect(error).toMatchObject(down);
    expect(`${error}`).not.toContain('canary');
  });

  it('is let in through an outage by the key that was known, while what does not fit is told to come again', async () => {
    await enter(first.privateKey);
    api.status = 503;
    clock.pass(120 * MINUTE);
    await enter(first.privateKey);
    await expect(enter(second.privateKey)).rejects.toMatchObject(down);
  });

  it('is let in by any of two: a key and an address, or two addresses of which one is away', async () => {
    await enter(second.privateKey, [pem(second.publicKey), `${url}/config`]);
    expect(api.asked).toBe(0);
    await enter(first.privateKey, [pem(second.publicKey), `${url}/config`]);
    await enter(first.privateKey, ['http://127.0.0.1:1/config', `${url}/config`]);
  });

  it.each(['http://travis.example.com/config', 'ftp://127.0.0.1/config', 'config', ''])(
    'is refused when what is configured is neither a key nor such an address: %j',
    async (secret) => {
      await expect(enter(first.privateKey, [secret])).rejects.toMatchObject(refused);
    },
  );
});
