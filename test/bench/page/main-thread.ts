import type { Context, Page } from '../../support/browser/api.ts';

interface Metrics {
  readonly metrics: readonly { readonly name: string; readonly value: number }[];
}

/** Tells the milliseconds of processor time that the main thread of a page has taken so far. */
export type MainThread = () => Promise<number>;

/** Processor time does not depend on what else the machine does, as the time of a clock would. */
export async function mainThread(context: Context, page: Page): Promise<MainThread> {
  const tools = await context.newCDPSession(page);
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await tools.send<Metrics>('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
}
