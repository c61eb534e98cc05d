/** The event of a schedule, or that of an operator or a start after which messages or pushes may have been lost. */
interface ScheduleEvent {
  /** Whether to work on all, due or not. */
  readonly everything?: boolean;
}

export function scheduleTrigger<Result>(work: (everything: boolean) => Promise<Result>) {
  return (event: ScheduleEvent | undefined): Promise<Result> => work(event?.everything === true);
}
