import { PreferenceStore } from '../elements/model/preferences.ts';

/** Shows the page in the colours that this person prefers, now and whenever that changes. */
export function applyTheme(preferences: PreferenceStore = new PreferenceStore()): void {
  const apply = (): void => {
    const { theme } = preferences.value;
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  apply();
  preferences.addEventListener('change', apply);
}
