import { DeployError } from '../core/errors.ts';
import { trace } from './trace.ts';

/** What an operator asks for: the operation, and what it takes. */
type OperatorRequest = Readonly<Record<string, unknown>>;

/**
 * Returns the handler of what an operator invokes. It answers with the result, or with `{"error"}` in one sentence;
 * neither a request nor an answer is logged, because passwords and tokens are in them.
 */
export function operatorTrigger(manage: (request: OperatorRequest) => Promise<unknown>) {
  return async (request: OperatorRequest | undefined): Promise<unknown> => {
    try {
      return await manage(request ?? {});
    } catch (error) {
      if (error instanceof DeployError && error.code === 'request:bad_parameter') return { error: error.detail };
      trace('users not changed', { operation: request?.operation, error });
      throw error;
    }
  };
}

/** The event of a schedule, or that of an operator or a start after which messages or pushes may have been lost. */
interface ScheduleEvent {
  /** Whether to work on all, due or not. */
  readonly everything?: boolean;
}

export function scheduleTrigger<Result>(work: (everything: boolean) => Promise<Result>) {
  return (event: ScheduleEvent | undefined): Promise<Result> => work(event?.everything === true);
}
