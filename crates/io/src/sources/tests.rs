//! The loader against a folder of its own: what it reads, and what it must not read.

use super::*;
use std::fs;

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn of(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("flyball-io-{}-{name}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(path)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

const SPEC: &str = "agentspec: 1\nid: desk\ncontract: ../contracts/shop.yaml\npersona: You are the desk.\n\
                    tools: {refund: {parameters: {$ref: schemas/refund.json}}}\n";

fn rules(loaded: &Loaded) -> Vec<&str> {
    loaded.parsed.diagnostics.iter().map(|diagnostic| diagnostic.rule).collect()
}

#[test]
fn a_spec_is_loaded_with_all_it_refers_to_and_paths_are_relative_to_the_root() {
    let schema = r#"{"type": "object", "properties": {"id": {"$ref": "id.json"}}}"#;
    let folder = Folder::of(
        "whole",
        &[
            ("specs/desk.yaml", SPEC),
            ("contracts/shop.yaml", "contract: 1\nid: shop\n"),
            ("specs/schemas/refund.json", schema),
            ("specs/schemas/id.json", r#"{"type": "string"}"#),
        ],
    );
    for root in [None, Some(folder.0.as_path())] {
        let loaded = load(&folder.at("specs/desk.yaml"), root).unwrap();
        assert!(loaded.parsed.spec.is_some(), "{:?}", loaded.parsed.diagnostics);
        let paths: Vec<&str> = loaded.sources.files().map(flyball::source::SourceFile::path).collect();
        let wanted = ["specs/desk.yaml", "contracts/shop.yaml", "specs/schemas/refund.json", "specs/schemas/id.json"];
        assert_eq!(paths, wanted);
    }
}

#[test]
fn a_file_that_is_not_there_is_a_diagnostic_and_a_spec_that_is_not_there_an_error() {
    let folder = Folder::of("absent", &[("specs/desk.yaml", SPEC), ("contracts/shop.yaml/x", "")]);
    let loaded = load(&folder.at("specs/desk.yaml"), None).unwrap();
    assert_eq!(rules(&loaded), ["missing-file", "missing-file"]);
    let error = load(&folder.at("specs/gone.yaml"), None).unwrap_err();
    assert!(error.to_string().ends_with("cannot be read: there is no such file"), "{error}");
    let error = load(&folder.at("specs"), None).unwrap_err();
    assert!(error.to_string().ends_with("it is a folder"), "{error}");
}

#[test]
fn nothing_outside_the_root_is_read() {
    let folder =
        Folder::of("outside", &[("specs/desk.yaml", SPEC), ("contracts/shop.yaml", "contract: 1\nid: shop\n")]);
    let root = folder.at("specs");
    let loaded = load(&folder.at("specs/desk.yaml"), Some(&root)).unwrap();
    assert!(rules(&loaded).contains(&"path-outside"));
    let error = load(&folder.at("contracts/shop.yaml"), Some(&root)).unwrap_err();
    assert!(matches!(error, IoError::Outside { .. }));
}

#[test]
fn the_root_is_the_current_directory_above_a_spec_and_else_the_parent_of_its_folder() {
    let case = |here: Option<&str>| {
        let workspace = Workspace::beside(Path::new("/shop/specs/desk.yaml"), here.map(PathBuf::from));
        (workspace.root.clone(), workspace.shown("specs/desk.yaml"), workspace.shown("contracts/shop.yaml"))
    };
    let told = |root: &str, spec: &str, contract: &str| (PathBuf::from(root), spec.to_owned(), contract.to_owned());
    assert_eq!(case(Some("/shop")), told("/shop", "specs/desk.yaml", "contracts/shop.yaml"));
    assert_eq!(case(Some("/")).0, Path::new("/"));
    assert_eq!(case(Some("/shop/specs")), told("/shop", "desk.yaml", "../contracts/shop.yaml"));
    let elsewhere = told("/shop", "/shop/specs/desk.yaml", "/shop/contracts/shop.yaml");
    assert_eq!(case(Some("/shop/contracts")), elsewhere);
    assert_eq!(case(None), elsewhere);
    assert_eq!(Workspace::beside(Path::new("/desk.yaml"), Some(PathBuf::from("/"))).shown("desk.yaml"), "desk.yaml");
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_does_not_lead_out_of_the_root_but_may_stay_inside() {
    let inside = SPEC.replace("../contracts/shop.yaml", "inside.yaml").replace("{$ref: schemas/refund.json}", "{}");
    let folder = Folder::of(
        "links",
        &[
            ("root/outside.yaml", &inside.replace("inside.yaml", "out.yaml")),
            ("root/desk.yaml", &inside),
            ("root/contracts/shop.yaml", "contract: 1\nid: shop\n"),
            ("shop.yaml", "contract: 1\nid: shop\n"),
        ],
    );
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(folder.at(to), folder.at(at)).unwrap();
    link("root/contracts/shop.yaml", "root/inside.yaml");
    link("shop.yaml", "root/out.yaml");
    let root = folder.at("root");
    assert_eq!(rules(&load(&folder.at("root/desk.yaml"), Some(&root)).unwrap()), [""; 0]);
    assert_eq!(rules(&load(&folder.at("root/outside.yaml"), Some(&root)).unwrap()), ["missing-file"]);
}

#[test]
fn a_huge_file_is_refused_without_being_read_whole() {
    let folder = Folder::of("huge", &[("specs/desk.yaml", SPEC)]);
    let file = File::create(folder.at("specs/huge.yaml")).unwrap();
    file.set_len(MAX_BYTES * 4).unwrap();
    let loaded = load(&folder.at("specs/huge.yaml"), None).unwrap();
    assert_eq!(loaded.sources.files().next().unwrap().bytes().len() as u64, MAX_BYTES);
    assert!(loaded.parsed.spec.is_none());
    assert_eq!(loaded.parsed.diagnostics.len(), 1);
}

#[test]
fn a_folder_gives_its_specs_and_contracts_in_order_of_path() {
    let folder = Folder::of(
        "walk",
        &[
            ("b/desk.yaml", SPEC),
            ("a/shop.yaml", "# shared\ncontract: 1\nid: shop\n"),
            ("a/notes.yaml", "title: not ours\n"),
            ("a/desk.yml", SPEC),
            ("a/DESK.YAML", SPEC),
            ("a/desk.txt", SPEC),
            ("b/near.yaml", &SPEC.replace("agentspec", "agentspek")),
            ("b/empty.yaml", ""),
            (".hidden/desk.yaml", SPEC),
        ],
    );
    let found = find(&folder.0).unwrap();
    let wanted = |path: &str, kind| Found { path: folder.at(path), kind };
    let all = [
        wanted("a/DESK.YAML", FileKind::Spec),
        wanted("a/desk.yml", FileKind::Spec),
        wanted("a/shop.yaml", FileKind::Contract),
        wanted("b/desk.yaml", FileKind::Spec),
    ];
    assert_eq!(found, all);
    let survey = survey(&folder.0);
    assert_eq!(survey.seeming, [wanted("b/near.yaml", FileKind::Spec)]);
    assert_eq!((survey.empty, survey.others), (vec![folder.at("b/empty.yaml")], vec![folder.at("a/notes.yaml")]));
    assert!(find(&folder.at("nowhere")).is_err());
}

#[test]
fn a_text_that_is_open_counts_whatever_is_on_disk_and_nothing_outside_is_read() {
    let folder = Folder::of("open", &[("specs/desk.yaml", "x"), ("contracts/shop.yaml", "contract: 7\nid: shop\n")]);
    let workspace = Workspace::below(&folder.0).unwrap();
    let spec = SPEC.replace("{$ref: schemas/refund.json}", "{type: object}");
    let loaded = workspace.load_over("specs/desk.yaml", &spec, &|_| None);
    assert_eq!(rules(&loaded), ["unknown-version"]);
    let open = |path: &str| (path == "contracts/shop.yaml").then(|| "contract: 1\nid: shop\n".to_owned());
    assert!(workspace.load_over("specs/desk.yaml", &spec, &open).parsed.spec.is_some());
    let outside = spec.replace("../contracts/shop.yaml", "../../shop.yaml");
    let loaded = workspace.load_over("specs/desk.yaml", &outside, &|_| Some("contract: 1\nid: shop\n".to_owned()));
    assert_eq!(rules(&loaded), ["path-outside"]);
}
