import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { StageName } from '../../../../functions/core/pipeline/pipeline.ts';
import { madeFunctions } from '../../../support/template/made-functions.ts';
import { type Death, newRun, type Run, within } from './runs.ts';

type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;
type DeployHandler = (event: APIGatewayProxyEvent, context: unknown) => Promise<APIGatewayProxyResult>;
type SweepHandler = (event: { readonly everything?: boolean } | undefined) => Promise<unknown>;

/** The folders of the functions; that of a stage has its name. */
const FOLDERS = { report: 'report-status', deploy: 'api-deploy', sweep: 'sweep' } as const;

export type FunctionName = StageName | keyof typeof FOLDERS;
type HandlerOf<Name extends FunctionName> = Name extends 'deploy'
  ? DeployHandler
  : Name extends 'sweep'
    ? SweepHandler
    : QueueHandler;

/** Makes a function anew, as each of its instances does: it connects then. */
async function newInstance<Name extends FunctionName>(name: Name): Promise<HandlerOf<Name>> {
  const folder = name in FOLDERS ? FOLDERS[name as keyof typeof FOLDERS] : `stage-${name}`;
  return (await (await madeFunctions()).get(folder)?.()) as HandlerOf<Name>;
}

/** What observes the runs while they last. */
export interface Observer {
  readonly begin?: (run: Run) => void;
  readonly finish?: (run: Run) => void;
}

/** The instances of the functions: one serves one event at a time, and one whose worker died is never used again. */
export class Instances {
  #idle = new Map<FunctionName, unknown[]>();
  #observer: Observer = {};

  observe(observer: Observer): void {
    this.#observer = observer;
  }

  /** Forgets all instances, as a restart does. */
  clear(): void {
    this.#idle.clear();
  }

  /** Returns what the function returns, or `dead` when its worker died; a run that failed throws. */
  async run<Name extends FunctionName, T>(
    name: Name,
    invoke: (handler: HandlerOf<Name>) => Promise<T>,
    dies: Death | null = null,
  ): Promise<{ readonly run: Run; readonly result: T | 'dead' }> {
    const idle = this.#idle.get(name) ?? [];
    this.#idle.set(name, idle);
    const run = newRun(name, dies);
    // Before it is loaded: a story whose runs are all being loaded has not come to its end.
    this.#observer.begin?.(run);
    try {
      const handler = (idle.pop() ?? (await newInstance(name))) as HandlerOf<Name>;
      const result = await within(run, () => invoke(handler));
      if (result !== 'dead') idle.push(handler);
      return { run, result };
    } finally {
      this.#observer.finish?.(run);
    }
  }
}
