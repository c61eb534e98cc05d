import * as v from 'valibot';
import { printableValue } from '../../terminal/printable.ts';
import { Failure } from '../errors.ts';
import { inCommands } from './in-commands.ts';
import type { Service } from './service.ts';

const Problem = v.object({ code: v.string(), title: v.optional(v.string(), ''), detail: v.optional(v.string(), '') });

/** The service refused a request. */
export class Refusal extends Failure {
  constructor(
    message: string,
    readonly status: number,
    /** A code of the service's error table; null when something else answered. */
    readonly code: string | null,
    /** The pause that the service asks for; only for streams. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Returns the refusal as a sentence: what was wrong, its code, and where it is explained. */
export function refusal(answer: {
  readonly service: Pick<Service, 'url' | 'user' | 'from'>;
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number;
}): Refusal {
  const { service, status, body, retryAfterMs } = answer;
  const problem = read(body);
  if (problem === null) {
    const text = `What answers at ${service.url} is not the service (status ${status}): is its address right?`;
    return new Refusal(text, status, null);
  }
  const { code, title, detail } = problem;
  const login = code === 'mw:auth:unauthorized' ? ` The login of "${service.user}" is that of ${service.from}.` : '';
  const text = `${inCommands(detail) || title}${login} (${code}, explained at ${service.url}/errors#${code})`;
  return new Refusal(text, status, code, retryAfterMs);
}

function read(body: string): v.InferOutput<typeof Problem> | null {
  try {
    return printableValue(v.parse(Problem, JSON.parse(body)));
  } catch {
    return null;
  }
}
