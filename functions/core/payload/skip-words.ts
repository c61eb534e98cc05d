/** The skip directives of a commit message. */
export interface Skip {
  /** Whether the commit must not be deployed. */
  readonly deploy: boolean;
  /** Whether the commit is not tested: no CI provider will call, so the deploy must not wait for one. */
  readonly ci: boolean;
  /** The CI providers that do not test it, where it names them; others do. */
  readonly providers?: readonly string[];
  /** The words that ask for it, as written. */
  readonly words: string;
}

// The words of GitHub (https://docs.github.com/actions/managing-workflow-runs/skipping-workflow-runs) and GitLab
// (https://docs.gitlab.com/ci/pipelines/#skip-a-pipeline), which other CI providers share. Most of them ignore case and
// accept dashes and underscores.
const noDeploy = /\[(?:(?:skip|no)[ _-]deploy|deploy[ _-]skip)\]/i;
const noCi = /\[(?:(?:skip|no)[ _-](?:ci|actions)|(?:ci|actions)[ _-]skip)\]|\*{3}NO_CI\*{3}/i;
// https://docs.travis-ci.com/user/customizing-the-build/#skipping-a-build
const noTravis = /\[(?:skip[ _-]travis(?:[ _-]?ci)?|travis(?:[ _-]?ci)?[ _-]skip)\]/i;
const noChecks = /^skip-checks:[ \t]*true[ \t]*$/im;

/**
 * Returns the skip directives of a whole commit message; null without any. `[skip deploy]` skips the
 * deploy; `[skip ci]`, its variants and the trailer `skip-checks: true` skip CI, and words of one CI provider that one.
 * Words in brackets count anywhere.
 */
export function skips(message: string): Skip | null {
  const deploy = noDeploy.exec(message)?.[0];
  const ci = noCi.exec(message)?.[0] ?? noChecks.exec(lastParagraph(message))?.[0].trim();
  const travis = ci === undefined ? noTravis.exec(message)?.[0] : undefined;
  const words = [deploy, ci, travis].filter((word) => word !== undefined).join(' ');
  if (words === '') return null;
  return {
    deploy: deploy !== undefined,
    ci: ci !== undefined,
    ...(travis !== undefined && { providers: ['travis'] }),
    words,
  };
}

/** Trailers are at the end of a message, after an empty line. */
function lastParagraph(message: string): string {
  const text = message.trimEnd().replaceAll('\r\n', '\n');
  const start = text.lastIndexOf('\n\n');
  return start === -1 ? '' : text.slice(start + 2);
}
