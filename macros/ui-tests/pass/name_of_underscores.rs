use ascendcl_macros::protocol;

protocol! {
    pub mod file;

    [*] --> 可用 : 打开;
    可用 --> [*] : 关闭;
}

fn main() {}
