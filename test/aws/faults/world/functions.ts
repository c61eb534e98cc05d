import type { APIGatewayProxyEvent, APIGatewayProxyResult, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { connect as connectDeploy } from '../../../../functions/api-deploy/connect.ts';
import { deploy } from '../../../../functions/api-deploy/deploy.ts';
import { connect as connectReport } from '../../../../functions/report-status/connect.ts';
import { report } from '../../../../functions/report-status/report.ts';
import { check } from '../../../../functions/stage-check/check.ts';
import { connect as connectCheck } from '../../../../functions/stage-check/connect.ts';
import { connect as connectExtract } from '../../../../functions/stage-extract/connect.ts';
import { extract } from '../../../../functions/stage-extract/extract.ts';
import { connect as connectFetch } from '../../../../functions/stage-fetch/connect.ts';
import { fetchTarball } from '../../../../functions/stage-fetch/fetch.ts';
import { connect as connectStart } from '../../../../functions/stage-start/connect.ts';
import { start } from '../../../../functions/stage-start/start.ts';
import { connect as connectUpload } from '../../../../functions/stage-upload/connect.ts';
import { upload } from '../../../../functions/stage-upload/upload.ts';
import { connect as connectSweep } from '../../../../functions/sweep/connect.ts';
import { sweep } from '../../../../functions/sweep/sweep.ts';
import { httpTrigger } from '../../../../functions/triggers/http.ts';
import { reportTrigger } from '../../../../functions/triggers/report.ts';
import { stageTrigger } from '../../../../functions/triggers/stage.ts';
import { sweepTrigger } from '../../../../functions/triggers/sweep.ts';
import { trace } from '../../../../functions/triggers/trace.ts';
import { type Death, newRun, type Run, within } from './runs.ts';

type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;
type DeployHandler = (event: APIGatewayProxyEvent, context: unknown) => Promise<APIGatewayProxyResult>;
type SweepHandler = (event: { readonly everything?: boolean } | undefined) => Promise<unknown>;

/** The handlers, each made as its `handler.ts` does: an instance of a function begins with `connect`. */
export const handlers = {
  check: async (): Promise<QueueHandler> => {
    const ports = connectCheck();
    return stageTrigger(check({ ...ports, trace }), ports);
  },
  fetch: async (): Promise<QueueHandler> => {
    const ports = connectFetch();
    return stageTrigger(fetchTarball(ports), ports);
  },
  upload: async (): Promise<QueueHandler> => {
    const ports = await connectUpload();
    return stageTrigger(upload(ports), ports);
  },
  extract: async (): Promise<QueueHandler> => {
    const ports = await connectExtract();
    return stageTrigger(extract(ports), ports);
  },
  start: async (): Promise<QueueHandler> => {
    const ports = await connectStart();
    return stageTrigger(start({ ...ports, trace }), ports);
  },
  report: async (): Promise<QueueHandler> => {
    const ports = await connectReport();
    return reportTrigger((job) => report(job, ports));
  },
  deploy: async (): Promise<DeployHandler> => {
    const { publicUrl, ...ports } = connectDeploy();
    return httpTrigger(deploy({ ...ports, trace }), publicUrl) as DeployHandler;
  },
  sweep: async (): Promise<SweepHandler> => sweepTrigger(sweep, connectSweep()),
};

export type FunctionName = keyof typeof handlers;
type HandlerOf<Name extends FunctionName> = Awaited<ReturnType<(typeof handlers)[Name]>>;

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
    const handler = (idle.pop() ?? (await handlers[name]())) as HandlerOf<Name>;
    const run = newRun(name, dies);
    this.#observer.begin?.(run);
    try {
      const result = await within(run, () => invoke(handler));
      if (result !== 'dead') idle.push(handler);
      return { run, result };
    } finally {
      this.#observer.finish?.(run);
    }
  }
}
