/**
 * The variable of an application that names those of its variables which its previews get too, separated by commas;
 * of a preview, those that it got. It is one of its variables so that they are changed together, and kept where they are.
 */
const PREVIEW_VARIABLES = 'PREVIEW_VARIABLES';

type Variables = Readonly<Record<string, string | null>>;

/** Returns the names in the variable, in their order. */
function markedNames(variables: Variables): readonly string[] {
  return [...new Set((variables[PREVIEW_VARIABLES] ?? '').split(/[\s,]+/).filter((name) => name !== ''))];
}

/** Returns the variables of an application that its previews get. */
function previewVariables(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const marked = markedNames(variables).filter((name) => name !== PREVIEW_VARIABLES);
  return Object.fromEntries(
    marked.flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name] ?? '']] : [])),
  );
}

/**
 * Returns the changes to a preview's own variables that give it those which are marked now, and take away those that it
 * got before and are not marked any more. Others stay.
 */
export function givenVariables(parent: Readonly<Record<string, string>>, own: Variables): Variables {
  const marked = previewVariables(parent);
  const got = markedNames(own).filter((name) => Object.hasOwn(own, name));
  const taken = Object.fromEntries(got.map((name) => [name, null]));
  return { ...taken, ...marked, [PREVIEW_VARIABLES]: Object.keys(marked).join(',') || null };
}

/** Returns the changes with the mark for previews on all variables that they set, and on none that they remove. */
export function withMarks(changes: Variables, known: Variables): Variables {
  const others = markedNames(known).filter((name) => !Object.hasOwn(changes, name));
  const set = Object.keys(changes).filter((name) => changes[name] !== null);
  const names = [...others, ...set];
  return { ...changes, [PREVIEW_VARIABLES]: names.length === 0 ? null : names.join(',') };
}
