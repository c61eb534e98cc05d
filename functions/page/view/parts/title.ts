import { useEffect } from 'preact/hooks';

/** Sets the title of the tab while a view is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
