import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../../../../../functions/adapters/senders/signatures/verifier.ts';
import type { HookCall, SignatureCheck } from '../../../../../../functions/core/ports/sender.ts';
import { registry } from '../../../../../support/senders/sender-call.ts';

const secret = 'correct horse';
const now = 1_704_880_000_000;
const seconds = now / 1000;
const json = '{"ref":"refs/heads/main","message":"é ✓"}';

function hook(headers: Readonly<Record<string, string>>, body: string = json): HookCall {
  return { headers, query: {}, body: {}, raw: new TextEncoder().encode(body) };
}

function hmac(text: string, encoding: 'hex' | 'base64' = 'hex', key: string | Buffer = secret): string {
  return createHmac('sha256', key).update(text).digest(encoding);
}

function verify(sender: string, call: HookCall, secrets: readonly string[], at: number): SignatureCheck {
  return verifySignature(registry.signatureOf(sender), { call, secrets, now: at });
}

function checkOf(sender: string, headers: Readonly<Record<string, string>>, body?: string): SignatureCheck {
  return verify(sender, hook(headers, body), [secret], now);
}

const keys = generateKeyPairSync('rsa', { modulusLength: 1024 });
const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const travis = sign('RSA-SHA1', Buffer.from(json), keys.privateKey).toString('base64');

const signed: [string, string, Readonly<Record<string, string>>][] = [
  ['GitHub', 'github', { 'x-hub-signature-256': `sha256=${hmac(json)}` }],
  ['GitHub Actions', 'github-actions', { 'x-hub-signature-256': `sha256=${hmac(json)}` }],
  ['Bitbucket', 'bitbucket', { 'x-hub-signature': `sha256=${hmac(json)}` }],
  ['Gitea, in bare digits', 'gitea', { 'x-gitea-signature': hmac(json) }],
  ['Forgejo', 'forgejo', { 'x-forgejo-signature': hmac(json), 'x-gitea-signature': hmac(json) }],
  ['Gitea Actions', 'gitea-actions', { 'x-gitea-signature': hmac(json) }],
  ['Forgejo Actions', 'forgejo-actions', { 'x-forgejo-signature': hmac(json), 'x-gitea-signature': hmac(json) }],
  ['GitLab, which sends the token itself', 'gitlab', { 'x-gitlab-token': secret }],
  [
    'GitLab with a signing token',
    'gitlab-ci',
    {
      'webhook-id': 'msg-1',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': `v1,${hmac('other', 'base64')} v1,${hmac(`msg-1.${seconds}.${json}`, 'base64')}`,
    },
  ],
  ['CircleCI', 'circleci', { 'circleci-signature': `v1=${hmac(json)}` }],
  ['CircleCI beside a version that is not known', 'circleci', { 'circleci-signature': `v2=00, v1=${hmac(json)}` }],
];

describe('a signature', () => {
  for (const [what, sender, headers] of signed) {
    it(`is valid when it is made with the secret: ${what}`, () => {
      expect(checkOf(sender, headers)).toBe('valid');
    });

    it(`is valid with either of two secrets, and invalid without both: ${what}`, () => {
      expect(verify(sender, hook(headers), ['new one', secret], now)).toBe('valid');
      expect(verify(sender, hook(headers), ['new one', 'newer one'], now)).toBe('invalid');
      expect(verify(sender, hook(headers), ['', ` ${secret}`, secret.toUpperCase()], now)).toBe('invalid');
      expect(verify(sender, hook(headers), [], now)).toBe('invalid');
    });

    it(`is missing when the call has no such header: ${what}`, () => {
      expect(checkOf(sender, {})).toBe('missing');
      expect(checkOf(sender, { authorization: `Basic ${secret}` })).toBe('missing');
    });

    if (!what.includes('itself')) {
      it(`is invalid when a byte of the body differs: ${what}`, () => {
        expect(checkOf(sender, headers, `${json} `)).toBe('invalid');
        expect(checkOf(sender, headers, '')).toBe('invalid');
      });
    }

    it(`is invalid, without an exception, when it is malformed: ${what}`, () => {
      for (const rubbish of ['x', 'sha256=', 'v1=', 'v1,', ',', '"', '=', '\ud800', 'é'.repeat(9000)]) {
        const spoiled = Object.fromEntries(Object.keys(headers).map((name) => [name, rubbish]));
        expect(checkOf(sender, spoiled)).toBe('invalid');
      }
    });
  }

  it('of GitHub is over the bytes of a form, not over the JSON in it', () => {
    const form = `payload=${encodeURIComponent(json)}`;
    expect(checkOf('github', { 'x-hub-signature-256': `sha256=${hmac(form)}` }, form)).toBe('valid');
    expect(checkOf('github', { 'x-hub-signature-256': `sha256=${hmac(json)}` }, form)).toBe('invalid');
  });

  it('of GitHub in SHA-1 alone is missing', () => {
    const sha1 = createHmac('sha1', secret).update(json).digest('hex');
    expect(checkOf('github', { 'x-hub-signature': `sha1=${sha1}` })).toBe('missing');
  });

  it("of Forgejo that is invalid is not replaced by a valid one in Gitea's header", () => {
    const headers = { 'x-forgejo-signature': '00'.repeat(32), 'x-gitea-signature': hmac(json) };
    expect(checkOf('forgejo', headers)).toBe('invalid');
    expect(checkOf('forgejo', { 'x-gitea-signature': hmac(json) })).toBe('valid');
  });

  it('of GitLab can use a base64 key, as in the standard', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef');
    const signature = hmac(`msg-1.${seconds}.${json}`, 'base64', key);
    const headers = {
      'webhook-id': 'msg-1',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': `v1,${signature}`,
    };
    const token = `whsec_${key.toString('base64')}`;
    expect(verify('gitlab', hook(headers), [token], now)).toBe('valid');
    expect(verify('gitlab', hook(headers), [token.replace('M', 'N')], now)).toBe('invalid');
  });

  it('more than five minutes in the past or future is invalid for senders that sign the time', () => {
    const timed = signed.filter(([what]) => /signing token/.test(what));
    expect(timed).toHaveLength(1);
    for (const [what, sender, headers] of timed) {
      for (const [minutes, expected] of [
        [4, 'valid'],
        [-4, 'valid'],
        [6, 'invalid'],
        [-6, 'invalid'],
      ] as const) {
        const later = now + minutes * 60_000;
        expect(verify(sender, hook(headers), [secret], later), `${what} ${minutes}`).toBe(expected);
      }
    }
  });

  it('of CircleCI only in another version is invalid', () => {
    expect(checkOf('circleci', { 'circleci-signature': `v2=${hmac(json)}` })).toBe('invalid');
  });

  it('of Travis CI is over the JSON in the form and verified with the public key', () => {
    const form = `payload=${encodeURIComponent(json)}`;
    const other = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' });
    const check = (body: string, secrets: readonly string[], signature = travis) =>
      verify('travis', hook({ signature }, body), secrets, now);
    expect(check(form, [publicKey])).toBe('valid');
    expect(check(`${form}&other=1`, [other.toString(), publicKey])).toBe('valid');
    expect(check(`payload=${encodeURIComponent(`${json} `)}`, [publicKey])).toBe('invalid');
    expect(check(form, [other.toString()])).toBe('invalid');
    expect(check(form, ['no key'])).toBe('invalid');
    expect(check('other=1', [publicKey])).toBe('invalid');
    expect(check(form, [publicKey], '!!')).toBe('invalid');
    expect(verify('travis', hook({}, form), [publicKey], now)).toBe('missing');
  });

  it('is unsupported for senders that cannot sign', () => {
    for (const sender of ['ci', 'jenkins', 'manual', 'constructor', '']) {
      expect(checkOf(sender, { 'x-hub-signature-256': `sha256=${hmac(json)}` })).toBe('unsupported');
    }
  });
});
