import { setTimeout as pause } from 'node:timers/promises';
import { parseXML } from '@aws-sdk/xml-builder';
import { SignatureV4 } from '@smithy/signature-v4';
import * as v from 'valibot';
import { Failure } from '../errors.ts';

type SignerOptions = ConstructorParameters<typeof SignatureV4>[0];

/** The signing configuration of a call, a part of that of any SDK client. */
export interface QuerySigning {
  readonly region: string;
  readonly credentials: Exclude<SignerOptions['credentials'], undefined>;
  readonly sha256: SignerOptions['sha256'];
}

/** The services of AWS that are called by the Query protocol, with the versions of their APIs. */
const VERSIONS = { sts: '2011-06-15', cloudformation: '2010-05-15' } as const;

type QueryService = keyof typeof VERSIONS;

/** Calls an action and returns its result, in which texts are texts and lists are `{ member }`. */
export type Query = (
  service: QueryService,
  action: string,
  parameters?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** A refusal of AWS. */
export class AwsRefusal extends Failure {
  constructor(
    /** Such as `ExpiredToken`. */
    readonly code: string,
    /** AWS's message. */
    readonly said: string,
  ) {
    super(`AWS refused: ${said} (${code}).`);
  }
}

const TIMEOUT_MS = 20_000;
const TRIES = 4;
const PAUSE_MS = 250;

/**
 * Returns the calls of STS and CloudFormation. Only three actions are needed, hence no client of the SDK for each;
 * credentials and signature are the SDK's. `AWS_ENDPOINT_URL_STS` and `AWS_ENDPOINT_URL_CLOUDFORMATION` are heeded.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/CommonParameters.html
 */
export function queries(signing: QuerySigning, signal: AbortSignal): Query {
  return async (service, action, parameters = {}) => {
    const body = new URLSearchParams({ ...parameters, Action: action, Version: VERSIONS[service] }).toString();
    for (let tries = 1; ; tries += 1) {
      const answer = await send(service, body, signing, signal);
      if (answer.status === 200) return resultOf(answer.text, action);
      const refusal = refusalIn(answer.text, answer.status);
      const isTemporary = answer.status >= 500 || /Throttl|RequestLimit/.test(refusal.code);
      if (!isTemporary || tries === TRIES) throw refusal;
      await pause(PAUSE_MS * 2 ** tries, undefined, { signal });
    }
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(
  service: QueryService,
  body: string,
  { region, ...signing }: QuerySigning,
  signal: AbortSignal,
): Promise<Answer> {
  const address = new URL(endpointOf(service, region));
  const { protocol, host, hostname, pathname: path } = address;
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const signer = new SignatureV4({ ...signing, region, service });
  const request = await signer.sign({ method: 'POST', protocol, hostname, path, headers, body });
  try {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(address, { method: 'POST', headers: request.headers, body, signal: ending });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new Failure(`${host} cannot be reached: is there a network, and is ${region} a region of AWS?`, { cause });
  }
}

function endpointOf(service: QueryService, region: string): string {
  const { env } = process;
  const given = env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] || env.AWS_ENDPOINT_URL;
  return given || `https://${service}.${region}.amazonaws.com`;
}

const Refused = v.object({ ErrorResponse: v.object({ Error: v.object({ Code: v.string(), Message: v.string() }) }) });

function resultOf(text: string, action: string): unknown {
  const response = v.safeParse(v.record(v.string(), v.unknown()), parsed(text)[`${action}Response`]);
  const result = response.success ? response.output[`${action}Result`] : undefined;
  if (result !== undefined) return result;
  throw new Failure(`The answer of AWS to ${action} is not understood.`);
}

function refusalIn(text: string, status: number): AwsRefusal {
  const refused = v.safeParse(Refused, parsed(text));
  if (!refused.success) return new AwsRefusal(`status ${status}`, 'no reason was given');
  const { Code, Message } = refused.output.ErrorResponse.Error;
  return new AwsRefusal(Code, Message);
}

/** The root of the document by its name; empty for what is no XML. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = parseXML(text);
    return v.parse(v.record(v.string(), v.unknown()), document);
  } catch {
    return {};
  }
}
