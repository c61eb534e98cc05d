import { type Stage, stages } from '../../client/entry.ts';

export interface StageState {
  readonly name: string;
  readonly does: string;
  /** `waiting`: it has not begun. `unneeded`: it will not, since the entry has ended or began later. */
  readonly state: Stage['status'] | 'waiting' | 'unneeded';
  /** The last of its records: a stage that is repeated has several. */
  readonly record: Stage | null;
}

/** Returns the state of each stage. `isFinal` says whether the entry has ended. */
export function stageStates(records: readonly Stage[], isFinal: boolean): readonly StageState[] {
  const first = stages.findIndex(({ name }) => records.some((record) => record.name === name));
  return stages.map(({ name, does }, index) => {
    const record = records.findLast((one) => one.name === name) ?? null;
    return { name, does, record, state: record?.status ?? (isFinal || index < first ? 'unneeded' : 'waiting') };
  });
}

/** Returns the stage that runs or runs next, for a deploy that has not ended. */
export function currentStage(states: readonly StageState[]): StageState | null {
  return states.find(({ state }) => state === 'running') ?? states.find(({ state }) => state === 'waiting') ?? null;
}
