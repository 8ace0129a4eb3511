#include "common/sets.glsl"

in vec3 in_position;
in vec4 in_color;

out vec3 world;
out vec4 color;

void main() {
    world = in_position;
    color = in_color;
    gl_Position = view.view_projection * vec4(in_position, 1.0);
}
