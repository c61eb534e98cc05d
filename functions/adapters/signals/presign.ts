import { SignatureV4 } from '@smithy/signature-v4';

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

/** The part of an AWS client's configuration that is needed to sign; the client renews its credentials. */
interface SigningOptions {
  readonly credentials: Exclude<SignerOptions['credentials'], undefined>;
  readonly region: () => Promise<string>;
  readonly sha256: SignerOptions['sha256'];
}

const EXPIRES_AFTER_SECONDS = 60;

/**
 * Returns the address with a query, signed with Signature Version 4 for API Gateway's IAM authorization. The signature
 * covers the query, so the address can be used neither later nor with another query.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function presign(
  address: string,
  query: Readonly<Record<string, string>>,
  { region, ...options }: SigningOptions,
): Promise<string> {
  const { protocol, host, hostname, pathname } = new URL(address);
  const signer = new SignatureV4({ ...options, service: 'execute-api', region: await region() });
  const request = { method: 'GET', protocol, hostname, path: pathname, query: { ...query }, headers: { host } };
  const signed = await signer.presign(request, { expiresIn: EXPIRES_AFTER_SECONDS });
  const pairs = Object.entries(signed.query ?? {}).map(([name, value]) => `${escaped(name)}=${escaped(String(value))}`);
  return `${protocol}//${host}${pathname}?${pairs.join('&')}`;
}

/** Percent-encodes as the signature requires; `encodeURIComponent` leaves five more characters unescaped. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
