import { badParameter, DeployError } from '../../../../core/errors.ts';
import { withoutValues } from '../../../../core/output/without-values.ts';

export type Variables = Readonly<Record<string, string>>;

export const PORT = 8080;

/**
 * What the Lambda Web Adapter and the applications need. The adapter waits for the port, not for an answer: an
 * application may have no page at `/`.
 * https://awslabs.github.io/aws-lambda-web-adapter/configuration/environment-variables.html
 */
const OWN: Variables = {
  AWS_LAMBDA_EXEC_WRAPPER: '/opt/bootstrap',
  AWS_LWA_PORT: String(PORT),
  AWS_LWA_READINESS_CHECK_PROTOCOL: 'tcp',
  AWS_LWA_ASYNC_INIT: 'true',
  // As the address does, so that files and streams of any length pass.
  AWS_LWA_INVOKE_MODE: 'response_stream',
  PORT: String(PORT),
  HOST: '127.0.0.1',
  NODE_ENV: 'production',
};

/** May be set by the user in place of the default. */
const REPLACEABLE = new Set(['NODE_ENV']);
/**
 * What Lambda sets:
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
const OF_LAMBDA = /^(?:AWS_|LAMBDA_|_)/;
const NAME = /^[a-zA-Z][a-zA-Z0-9_]{1,127}$/;
/**
 * Lambda measures the whole environment as JSON.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = 4096;
/** What a version tells of itself: its name, and its commit unless the user has set that. */
const OF_RELEASE: readonly string[] = ['RELEASE', 'SOURCE_VERSION'];
const MAX_RELEASE_BYTES = 300;

export function environmentOf(variables: Variables, release: string): Variables {
  return { ...OWN, ...variables, RELEASE: release };
}

/** Returns the environment of commands: that of a version without what the adapter needs. */
export function jobEnvironmentOf(environment: Variables): Variables {
  const isKept = ([name]: [string, string]) => REPLACEABLE.has(name) || !Object.hasOwn(OWN, name);
  return Object.fromEntries(Object.entries(environment).filter(isKept));
}

/**
 * Throws `request:bad_parameter` for a variable that Lambda or the platform sets itself, or whose name or value it
 * refuses.
 */
export function checkVariable(name: string, value: string): void {
  if (!NAME.test(name)) {
    const detail = 'On AWS Lambda the name of a variable has 2 to 128 letters, digits and _, and begins with a letter.';
    throw badParameter(detail);
  }
  if (OF_LAMBDA.test(name) || name === 'RELEASE' || (Object.hasOwn(OWN, name) && !REPLACEABLE.has(name))) {
    throw badParameter(`${name} is set by the platform.`);
  }
  if (value.includes('\0')) throw badParameter(`The value of ${name} holds a NUL character.`);
}

/** Throws `request:too_large` when the variables and those of the platform are together more than Lambda takes. */
export function checkSize(variables: Variables): void {
  const bytes = Buffer.byteLength(JSON.stringify({ ...OWN, ...variables })) + MAX_RELEASE_BYTES;
  if (bytes <= MAX_BYTES) return;
  const over = bytes - MAX_BYTES;
  const detail = `The variables are ${over} bytes larger than AWS Lambda's limit of 4 KB for all of an application.`;
  throw new DeployError('request:too_large', detail);
}

/** Returns the lines without the values of the user's variables. */
export function masked(lines: readonly string[], environment: Variables): readonly string[] {
  const isOwn = (name: string) => OF_RELEASE.includes(name) || Object.hasOwn(OWN, name);
  return withoutValues(lines, Object.fromEntries(Object.entries(environment).filter(([name]) => !isOwn(name))));
}
