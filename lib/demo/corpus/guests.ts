/** A guest of the podcast. Every person and company is invented. */
export interface Guest {
  readonly name: string;
  readonly role: string;
  readonly company: string;
  /** Key of the field that the guest works in. */
  readonly domain: DomainName;
}

/** The fields of work that episodes are about. */
export type DomainName =
  | "bridges"
  | "sea"
  | "archives"
  | "seeds"
  | "lifts"
  | "bread"
  | "software"
  | "rail"
  | "hospital"
  | "weather"
  | "maps"
  | "water"
  | "clocks";

const guest = (name: string, role: string, company: string, domain: DomainName): Guest => ({
  name,
  role,
  company,
  domain,
});

/** All guests by their first names, which no two share. */
export const GUESTS = {
  Mara: guest("Mara Lindqvist", "bridge inspector", "Halden Span", "bridges"),
  Owen: guest("Owen Baptiste", "structural engineer", "Rivet & Load", "bridges"),
  Ilse: guest("Ilse Marchetti", "tide gauge keeper", "Northwater Institute", "sea"),
  Tobias: guest("Tobias Okafor", "harbour pilot", "Port of Lerrick", "sea"),
  Priya: guest("Priya Raman", "paper conservator", "Ashgrove Archive", "archives"),
  Henrik: guest("Henrik Solberg", "film archivist", "Nitrate House", "archives"),
  Amara: guest("Amara Diallo", "seed bank curator", "Terrace Seed Trust", "seeds"),
  Luc: guest("Luc Vanterpool", "potato breeder", "Terrace Seed Trust", "seeds"),
  Kenji: guest("Kenji Watanabe", "lift mechanic", "Upright Lifts", "lifts"),
  Dolores: guest("Dolores Quint", "accessibility surveyor", "Step Zero", "lifts"),
  Anselm: guest("Anselm Roth", "oven builder", "Hearth and Sons", "bread"),
  Beatriz: guest("Beatriz Coelho", "baker", "Third Proof", "bread"),
  Wen: guest("Wen Zhao", "mainframe maintainer", "Mutual of Carrow", "software"),
  Sam: guest("Sam Adeyemi", "release engineer", "Plainwater Software", "software"),
  Gwen: guest("Gwen Pritchard", "signalling engineer", "Westmoor Rail", "rail"),
  Farid: guest("Farid Haddad", "timetable planner", "Westmoor Rail", "rail"),
  Noor: guest("Noor Siddiqui", "ward scheduler", "St Brannoc's Hospital", "hospital"),
  Elena: guest("Elena Petrova", "sterile services manager", "St Brannoc's Hospital", "hospital"),
  Joaquín: guest("Joaquín Ferrer", "weather balloon technician", "Sierra Alta Station", "weather"),
  Rhea: guest("Rhea Thornton", "forecaster", "Cloudbase", "weather"),
  Desmond: guest("Desmond Achebe", "cartographer", "Meridian Sheet", "maps"),
  Sigrid: guest("Sigrid Nyholm", "land surveyor", "Meridian Sheet", "maps"),
  Carla: guest("Carla Jimenez", "waterworks chemist", "Saltmarsh Water", "water"),
  Piotr: guest("Piotr Wolski", "sewer engineer", "Saltmarsh Water", "water"),
  Hugo: guest("Hugo Ferrand", "tower clock repairer", "Escapement", "clocks"),
  Yara: guest("Yara Nasser", "piano tuner", "Well Tempered", "clocks"),
} as const satisfies Readonly<Record<string, Guest>>;

/** A guest's first name: the name that turns are marked with, in capitals. */
export type GuestName = keyof typeof GUESTS;
