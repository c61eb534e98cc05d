/** The style of the page: the reader's own colours, and tables that scroll for themselves on a narrow screen. */
export const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
small { font-weight: normal; opacity: .7 }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere }
h2 { margin-top: 3rem; text-transform: capitalize }
h3 { margin: 0 0 .5rem }
h3 a { color: inherit }
nav ul { padding-left: 1.25rem }
section { border-top: 1px solid #8886; padding: 1rem 0 }
section:target { outline: 2px solid; outline-offset: .5rem }
section > div { overflow-x: auto; margin: .75rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .9375rem }
th, td { border: 1px solid #8884; padding: .375rem .5rem; text-align: left; vertical-align: top }
`;
