import { hashOf } from '../../model/route.ts';
import { statusGroups } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';

interface FiltersProps {
  readonly query: { readonly app: string; readonly status: string; readonly branch: string };
}

/** The choice of rows. It is in the address, so that it can be kept and shared. */
export function Filters({ query }: FiltersProps) {
  const workspace = useWorkspace();
  const log = useStore(workspace.log);
  const apps = useStore(workspace.apps);
  const entries = [...log.entries.values()];
  const names = [...(apps ?? []).map(({ name }) => name), ...entries.flatMap(({ app_name }) => app_name ?? [])];
  const branches = entries.flatMap(({ doc }) => doc?.branch ?? []);
  const go = (change: Readonly<Record<string, string>>) => {
    location.hash = hashOf({ user: workspace.api.user, view: 'deploys', query: { ...query, ...change } });
  };
  return (
    <fieldset class="filters">
      <legend class="visually-hidden">Filters</legend>
      <Choice
        label="Application"
        value={query.app}
        choices={sorted([...names, query.app])}
        onChoose={(app) => go({ app })}
      />
      <label>
        <span class="visually-hidden">Status</span>
        <select value={query.status} onChange={({ currentTarget }) => go({ status: currentTarget.value })}>
          <option value="">Any status</option>
          {Object.entries(statusGroups).map(([id, { label }]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Choice
        label="Branch"
        value={query.branch}
        choices={sorted([...branches, query.branch])}
        onChoose={(branch) => go({ branch })}
      />
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, choices, onChoose }: ChoiceProps) {
  return (
    <label>
      <span class="visually-hidden">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{`Any ${label.toLowerCase()}`}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '').sort((one, other) => one.localeCompare(other));
}
