import { useMemo } from 'preact/hooks';
import { namesIn } from '../../model/log.ts';
import { hashOf } from '../../model/route.ts';
import { statusGroups } from '../../model/status.ts';
import { useStore } from '../../service/store.ts';
import { useWorkspace } from '../../service/workspace.ts';

interface FiltersProps {
  readonly query: { readonly app: string; readonly status: string; readonly branch: string };
}

/** The choice of rows. It is in the address, so that it can be kept and shared. */
export function Filters({ query: { app, status, branch } }: FiltersProps) {
  const workspace = useWorkspace();
  const names = namesIn(useStore(workspace.log));
  const apps = useStore(workspace.apps) ?? [];
  const appNames = useSorted([...apps.map(({ name }) => name), ...names.apps, app]);
  const branches = useSorted([...names.branches, branch]);
  // Few changes bring a new name: the same choices are not drawn again.
  return useMemo(
    () => <Choices query={{ app, status, branch }} appNames={appNames} branches={branches} />,
    [app, status, branch, appNames, branches],
  );
}

interface ChoicesProps extends FiltersProps {
  readonly appNames: readonly string[];
  readonly branches: readonly string[];
}

function Choices({ query, appNames, branches }: ChoicesProps) {
  const { user } = useWorkspace().api;
  const go = (change: Readonly<Record<string, string>>) => {
    location.hash = hashOf({ user, view: 'deploys', query: { ...query, ...change } });
  };
  return (
    <fieldset class="filters grid">
      <legend class="visually-hidden">Filters</legend>
      <Choice label="Application" value={query.app} choices={appNames} onChoose={(app) => go({ app })} />
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
      <Choice label="Branch" value={query.branch} choices={branches} onChoose={(branch) => go({ branch })} />
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

/** Returns each text once, sorted; the same list as long as the texts are the same. */
function useSorted(texts: readonly string[]): readonly string[] {
  const chosen = [...new Set(texts)].filter((text) => text !== '');
  return useMemo(() => chosen.sort((one, other) => one.localeCompare(other)), [chosen.join('\n')]);
}
