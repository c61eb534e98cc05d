/** What a commit's message asks to leave out. */
export interface Skip {
  /** The commit shall not be deployed. */
  readonly deploy: boolean;
  /** The commit is not tested: no CI provider will call, so nothing should wait for one. */
  readonly ci: boolean;
  /** The words that ask it, as written. */
  readonly words: string;
}

// The words that CI providers agree on, GitHub's and GitLab's first
// (https://docs.github.com/actions/managing-workflow-runs/skipping-workflow-runs,
// https://docs.gitlab.com/ci/pipelines/#skip-a-pipeline); case, dashes and underscores do not matter to most.
const noDeploy = /\[(?:(?:skip|no)[ _-]deploy|deploy[ _-]skip)\]/i;
const noCi = /\[(?:(?:skip|no)[ _-](?:ci|actions)|(?:ci|actions)[ _-]skip)\]/i;
const noChecks = /^skip-checks:[ \t]*true[ \t]*$/im;

/**
 * What the whole message of a commit asks to leave out; null when it asks for nothing. `[skip deploy]` means the deploy,
 * `[skip ci]` and its like and the trailer `skip-checks: true` mean CI, wherever in the message the bracketed words are.
 */
export function skips(message: string): Skip | null {
  const deploy = noDeploy.exec(message)?.[0];
  const ci = noCi.exec(message)?.[0] ?? noChecks.exec(lastParagraph(message))?.[0].trim();
  const words = [deploy, ci].filter((word) => word !== undefined).join(' ');
  return words === '' ? null : { deploy: deploy !== undefined, ci: ci !== undefined, words };
}

/** Trailers are at the end of a message, after an empty line. */
function lastParagraph(message: string): string {
  const text = message.trimEnd().replaceAll('\r\n', '\n');
  const start = text.lastIndexOf('\n\n');
  return start === -1 ? '' : text.slice(start + 2);
}
